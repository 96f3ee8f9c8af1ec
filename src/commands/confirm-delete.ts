import type { Capabilities } from "../cli/capabilities.ts";
import { targetName } from "../config/target-name.ts";
import { succeeded, type Reply, type ShownRecord } from "../contract/service.ts";
import type { ExitCode } from "../output/exit-codes.ts";
import { safeText } from "../output/safe-text.ts";
import { unconfirmed } from "./arguments.ts";

export interface DeleteOptions {
  readonly yes?: boolean;
}

/**
 * Deletes a record once that is confirmed. A person is shown what it is first; one that does not exist is
 * reported before anything is asked.
 *
 * @param describe what is about to go, for the question
 * @throws SendctlError "usage" when it is not confirmed and there is nobody to ask
 */
export async function confirmedDelete(
  { output, ask, config }: Pick<Capabilities, "output" | "ask" | "config">,
  operations: {
    readonly fetch: () => Promise<Reply>;
    /** Given the record that the person was shown, where one was. */
    readonly delete: (shown: ShownRecord | undefined) => Promise<Reply>;
  },
  describe: (record: ShownRecord) => string,
  options: DeleteOptions,
): Promise<ExitCode> {
  let shown: ShownRecord | undefined;
  if (options.yes !== true && !config.settings.dryRun) {
    const prompter = ask.prompter();
    if (prompter === undefined) {
      throw unconfirmed("delete");
    }
    const found = await operations.fetch();
    if (!succeeded(found)) return output.refusal(found);
    shown = found.envelope!.data as ShownRecord;
    const what = safeText(`${describe(shown)} from ${targetName(config.settings)}`);
    if (!(await prompter.confirm(`Delete ${what}?`))) return output.declined("Nothing deleted");
  }
  return output.done(await operations.delete(shown));
}
