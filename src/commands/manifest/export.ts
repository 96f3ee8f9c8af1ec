import { exitCodes } from "../../output/exit-codes.ts";
import { jsonText } from "../../core/json-text.ts";
import {
  exportedRecords,
  type Unexportable,
  jsonManifest,
  yamlManifest,
} from "../../manifest/export.ts";
import { nouns } from "../../contract/resources.ts";
import { comparedGroupFields, type Existing } from "../../manifest/manifest.ts";
import { safeText } from "../../core/text.ts";
import { refuseDryRun } from "../../command/arguments.ts";
import { readRecords } from "./desired-state.ts";
import { defineCommand } from "../../command/define-command.ts";

export const exportRecords = defineCommand({
  path: "export",
  description:
    "Export the current sender IDs and groups as a manifest: YAML, or JSON with --json. Applying it changes nothing.",
  examples: ["sendctl export > sendctl.yaml", "sendctl export --json > sendctl.json"],
  /** Omits records that a manifest cannot express, with a warning: applying it changes nothing. */
  async run(context) {
    const { output, service } = context;
    refuseDryRun(context, "this command changes nothing");
    const write = writers[output.supports("a manifest", ["table", "json", "yaml"], false)];
    const shown = { "sender-id": [] as Existing[], group: [] as Existing[] };
    await readRecords(context, service, {
      take: (kind, record) => void shown[kind].push(record),
      needs: { "sender-id": ["purpose"], group: comparedGroupFields },
    });
    const { senderIds, groups, inexpressible } = exportedRecords(shown, output.hasSecret);
    const remarks = remarksOn(inexpressible);
    await output.raw([...write(senderIds, groups, remarks)].join(""));
    for (const remark of remarks) await output.warn(remark);
    return exitCodes.done;
  },
});

/** The manifest writer of each output format that has one. */
const writers = { table: yamlManifest, json: jsonManifest, yaml: yamlManifest };

/** Maximum number of lines about omitted records; further ones are counted. */
const maxNamed = 20;

/** Returns a line for each omitted record. */
function remarksOn(records: readonly Unexportable[]): string[] {
  const lines = records
    .slice(0, maxNamed)
    .map(({ kind, id, name, why }) =>
      safeText(`not exported: ${nouns[kind]} ${jsonText(name)} (id ${String(id)}): ${why}`),
    );
  const more = records.length - lines.length;
  return [
    ...lines,
    ...(more > 0 ? [`not exported: ${more} more`] : []),
    ...(lines.length > 0 ? ["apply --prune would delete the records that were not exported"] : []),
  ];
}
