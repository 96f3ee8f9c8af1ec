import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { exportedGroup, exportedSenderId } from "../../manifest/exported.ts";
import {
  jsonManifestParts,
  manifestText,
  yamlManifestParts,
  type ExportedGroup,
  type ExportedSenderId,
} from "../../manifest/write.ts";
import { readRecords, type Reader } from "./desired-state.ts";
import { defineCommand } from "../../cli/define-command.ts";

export const exportRecords = defineCommand({
  path: "export",
  description:
    "Export the current sender IDs and groups as a manifest: YAML, or JSON with --json. Applying it changes nothing.",
  examples: ["sendctl export > sendctl.yaml", "sendctl export --json > sendctl.json"],
  async run(context) {
    return exportManifest(context);
  },
});

/** So many characters are written at a time. */
const chunkLength = 64 * 1024;

/** The syntax of a manifest in each format that has one. */
const manifestParts = {
  table: yamlManifestParts,
  json: jsonManifestParts,
  yaml: yamlManifestParts,
};

/** Writes what there is as a manifest, the oldest record first. */
async function exportManifest(context: Capabilities): Promise<ExitCode> {
  const parts = context.output.choose("a manifest", manifestParts);
  const records = await readRecords(context, context.service, collect);
  if (typeof records === "number") return records;
  let chunk = "";
  for await (const part of manifestText(parts, records.senderIds(), records.groups())) {
    chunk += part;
    if (chunk.length < chunkLength) continue;
    await context.output.raw(chunk);
    chunk = "";
  }
  await context.output.raw(chunk);
  return exitCodes.done;
}

interface Collected extends Reader {
  readonly senderIds: () => Iterable<ExportedSenderId>;
  readonly groups: () => Iterable<ExportedGroup>;
}

/** Keeps of each record what a manifest says of it. */
function collect(): Collected {
  const senderIds: ExportedSenderId[] = [];
  const groups: (ExportedGroup & { readonly uuid: string })[] = [];
  const names = new Set<string>();
  const shared = new Set<string>();
  return {
    needs: { senderIds: true, groups: true },
    takeSenderId: (record) => {
      senderIds.push(exportedSenderId(record));
    },
    takeGroup: (record) => {
      const group = exportedGroup(record);
      if (names.has(group.name)) shared.add(group.name);
      names.add(group.name);
      groups.push(group);
    },
    senderIds: () => senderIds.toReversed(),
    *groups() {
      for (const { uuid, ...group } of groups.toReversed()) {
        yield shared.has(group.name) ? { uuid, ...group } : group;
      }
    },
  };
}
