import { titleOf } from "../../output/views.ts";
import type { Capabilities } from "../capabilities.ts";
import { targetName } from "../../config/target.ts";
import { succeeded, type ShownRecord } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { areSeveral, confirm, mustConfirm, type SeveralOptions } from "../arguments.ts";
import { fetchOrHint, recordKey, withContacts, withHint, type DeletableKind } from "./single.ts";

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
  options: SeveralOptions & { readonly yes: boolean },
): Promise<ExitCode> {
  if (areSeveral(given, options)) {
    const { deleteSeveral } = await import("./several.ts");
    return deleteSeveral(context, given, kind, options);
  }
  const { output, config } = context;
  const found = await recordKey(context, given[0], kind.name, kind);
  let { expected } = found;
  if (!config.settings.dryRun && mustConfirm(context, options.yes, "delete")) {
    const reply = await fetchOrHint(context, { ...found, isExact: true }, kind);
    if (!succeeded(reply)) return output.refusal(reply);
    const shown = reply.envelope!.data as ShownRecord;
    const described = await withContacts(context, kind, shown, expected);
    const record = `${await kind.describe(found.key, described)}${kind.consequence(1)}`;
    const question = `Delete ${record} from ${targetName(config.settings)}?`;
    await confirm(context, "delete", question, "Nothing deleted", "service");
    expected = shown;
  }
  const reply = await kind.delete({ key: found.key, expected });
  const text = `${titleOf(kind.view, reply.before ?? expected, found.key)} deleted`;
  return output.done(await withHint(context, reply, found, kind), text);
}
