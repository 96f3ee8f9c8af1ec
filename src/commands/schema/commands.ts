import { defineCommand } from "../../command/define-command.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Output } from "../../output/output.ts";

const schemaManifest = defineCommand({
  path: "schema manifest",
  summary: "Print the JSON Schema of manifests",
  description:
    "Print the JSON Schema of manifests, the files that `sendctl apply` reads. Editors use it for validation and completion.",
  examples: ["sendctl schema manifest", "sendctl schema manifest > sendctl.schema.json"],
  async run({ output }) {
    const { manifestSchema } = await import("../../manifest/schema.ts");
    return print(output, manifestSchema);
  },
});

const schemaBehaviour = defineCommand({
  path: "schema behaviour",
  summary: "Print the JSON Schema of behaviour files",
  description:
    "Print the JSON Schema of behaviour files, which describe how a service behaves where its specification is silent. Editors use it for validation and completion.",
  examples: ["sendctl schema behaviour", "sendctl schema behaviour > behaviour.schema.json"],
  async run({ output }) {
    const { behaviourSchema } = await import("../../probe/behaviour-file.ts");
    return print(output, behaviourSchema);
  },
});

const schemaOpenapi = defineCommand({
  path: "schema openapi",
  summary: "Print the OpenAPI document of the service",
  description:
    "Print the OpenAPI 3.1 document of the HTTP interface, as `sendctl serve` serves it at /openapi.json. Generate a client, a mock or documentation from it.",
  examples: ["sendctl schema openapi", "sendctl schema openapi > openapi.json"],
  async run({ output, local }) {
    return print(output, await local.openApi());
  },
});

/** Prints a document as plain JSON in every format, without an envelope: it is meant for a file. */
async function print(output: Output, document: object): Promise<ExitCode> {
  output.supports("a schema", ["table", "json"], false);
  await output.raw(`${JSON.stringify(document, null, 2)}\n`);
  return exitCodes.done;
}

/** The commands of `sendctl schema`. */
export const commands = [schemaBehaviour, schemaManifest, schemaOpenapi];
