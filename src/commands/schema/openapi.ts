import type { Capabilities } from "../../cli/capabilities.ts";
import { defineCommand } from "../../cli/define-command.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";

export const schemaOpenapi = defineCommand({
  path: "schema openapi",
  summary: "Print the OpenAPI document of the service",
  description:
    "Print the OpenAPI 3.1 document of the HTTP interface, as `sendctl serve` serves it at /openapi.json. Generate a client, a mock or documentation from it.",
  examples: ["sendctl schema openapi", "sendctl schema openapi > openapi.json"],
  async run(context) {
    return printOpenApi(context);
  },
});

/** Prints the document as JSON whatever the output format: it is for a file. */
async function printOpenApi(context: Capabilities): Promise<ExitCode> {
  const { localServer, openApiDocument } = await import("../../openapi/document.ts");
  await context.output.raw(`${JSON.stringify(openApiDocument([localServer]), null, 2)}\n`);
  return exitCodes.done;
}
