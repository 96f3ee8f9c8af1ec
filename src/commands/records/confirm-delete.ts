import type { Capabilities } from "../../cli/capabilities.ts";
import { targetName } from "../../config/target-name.ts";
import { succeeded, type ShownRecord } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../output/safe-text.ts";
import type { DeletableKind } from "./record-kind.ts";
import { areSeveral, recordKey, unconfirmed, type SeveralOptions } from "../arguments.ts";

export interface DeleteOptions {
  readonly yes?: boolean;
}

/**
 * Deletes records after confirmation. The question shows the record; one that does not exist is reported
 * before asking.
 *
 * @param given the keys on the command line
 * @throws SendctlError "usage" without `--yes` if prompting is not possible, "cancelled" if the user cancels
 */
export async function confirmedDelete(
  context: Pick<Capabilities, "output" | "ask" | "config" | "input" | "processes">,
  given: readonly string[],
  kind: DeletableKind,
  options: DeleteOptions & SeveralOptions,
): Promise<ExitCode> {
  if (areSeveral(given, options)) {
    const { deleteSeveral } = await import("./delete-several.ts");
    return deleteSeveral(context, given, kind, options);
  }
  const { output, ask, config } = context;
  let found = await recordKey(context, given[0], kind.name, kind);
  if (options.yes !== true && !config.settings.dryRun) {
    const prompter = ask.prompter();
    if (prompter === undefined) {
      throw unconfirmed("delete");
    }
    const reply = await kind.fetch(found);
    if (!succeeded(reply)) return output.refusal(reply);
    const shown = reply.envelope!.data as ShownRecord;
    const { key } = found;
    found = { key, expected: shown };
    const record = `${kind.describe(key, shown)}${kind.consequence(1)}`;
    const question = safeText(`Delete ${record} from ${targetName(config.settings)}?`);
    if (!(await prompter.confirm(question))) return output.declined("Nothing deleted");
  }
  return output.done(await kind.delete(found));
}
