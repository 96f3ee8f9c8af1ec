import type { Capabilities } from "../../cli/capabilities.ts";
import { defineCommand } from "../../cli/define-command.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";

export const schemaBehaviour = defineCommand({
  path: "schema behaviour",
  summary: "Print the JSON Schema of behaviour files",
  description:
    "Print the JSON Schema of behaviour files, which say how a service behaves where its specification is silent. Editors use it for validation and completion.",
  examples: ["sendctl schema behaviour", "sendctl schema behaviour > behaviour.schema.json"],
  async run(context) {
    return printBehaviourSchema(context);
  },
});

/** Prints the schema as plain JSON in every output format, without an envelope, because it is meant for a file. */
async function printBehaviourSchema(context: Capabilities): Promise<ExitCode> {
  const { behaviourSchema } = await import("../../behaviour/write.ts");
  await context.output.raw(`${JSON.stringify(behaviourSchema, null, 2)}\n`);
  return exitCodes.done;
}
