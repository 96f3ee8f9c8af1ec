import type { Context } from "../../cli/context.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { manifestSchema } from "../../manifest/schema.ts";

/** Prints a document, which is JSON and no envelope whatever the format: it is for a file. */
export async function printManifestSchema(context: Context): Promise<ExitCode> {
  await context.output.raw(`${JSON.stringify(manifestSchema, null, 2)}\n`);
  return exitCodes.done;
}
