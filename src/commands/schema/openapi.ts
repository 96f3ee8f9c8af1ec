import type { Capabilities } from "../../cli/capabilities.ts";
import { defineCommand, text } from "../../cli/define-command.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";

export const schemaOpenapi = defineCommand({
  path: "schema openapi",
  summary: "Print the OpenAPI document of the service",
  description:
    "Print the OpenAPI 3.1 document of the HTTP interface, as `sendctl serve` serves it at /openapi.json. Generate a client, a mock or documentation from it.",
  options: {
    behaviour: text("--behaviour <file>", "behaviour file (default: the engine's own behaviour)", {
      takes: "file",
    }),
  },
  examples: [
    "sendctl schema openapi",
    "sendctl schema openapi > openapi.json",
    "sendctl schema openapi --behaviour behaviour.yaml",
  ],
  async run(context, _, { behaviour }) {
    return printOpenApi(context, behaviour);
  },
});

/** Prints the document as JSON whatever the output format: it is for a file. @throws SendctlError "usage" */
async function printOpenApi(context: Capabilities, file: string | undefined): Promise<ExitCode> {
  const { behaviourOfFile } = await import("../serve/service-options.ts");
  const behaviour = await behaviourOfFile(file, context);
  const [{ localServer, openApiDocument }, { ownBehaviour }] = await Promise.all([
    import("../../openapi/document.ts"),
    import("../../contract/behaviour.ts"),
  ]);
  const document = openApiDocument([localServer], { ...ownBehaviour, ...behaviour });
  await context.output.raw(`${JSON.stringify(document, null, 2)}\n`);
  return exitCodes.done;
}
