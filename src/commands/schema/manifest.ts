import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { manifestSchema } from "../../manifest/schema.ts";
import { defineCommand } from "../../cli/define-command.ts";

export const schemaManifest = defineCommand({
  path: "schema manifest",
  summary: "Print the JSON Schema of manifests",
  description:
    "Print the JSON Schema of manifests, the files that `sendctl apply` reads. Editors use it for validation and completion.",
  examples: ["sendctl schema manifest", "sendctl schema manifest > sendctl.schema.json"],
  async run(context) {
    return printManifestSchema(context);
  },
});

/** Prints the schema as plain JSON in every output format, without an envelope, because it is meant for a file. */
async function printManifestSchema(context: Capabilities): Promise<ExitCode> {
  await context.output.raw(`${JSON.stringify(manifestSchema, null, 2)}\n`);
  return exitCodes.done;
}
