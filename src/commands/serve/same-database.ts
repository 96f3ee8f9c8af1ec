import type { Capabilities } from "../../cli/capabilities.ts";
import { targetOptions } from "../../config/target-name.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import { shellWord } from "../../contract/text/shell-word.ts";

/** Returns the command line that works on the served database. @param command its words after `sendctl` */
export function onSameDatabase({ config }: Pick<Capabilities, "config">, command: string): string {
  const options = targetOptions(config.settings, true).map(shellWord);
  return safeText(["sendctl", command, ...options].join(" "));
}

/** Starts a service that must not change the schema. Its error names the command that does. */
export async function withoutMigration<Started>(
  context: Pick<Capabilities, "config">,
  start: () => Promise<Started>,
): Promise<Started> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof SendctlError) || error.database !== "unmigrated") throw error;
    const { kind, message, database } = error;
    const hint = onSameDatabase(context, "local migrate");
    throw new SendctlError(kind, message, { hint, database, cause: error });
  }
}
