import { queryRefusal } from "../../output/formats/format.ts";
import { titleOf } from "../../output/views.ts";
import type { Capabilities } from "../context.ts";
import { targetName } from "../../config/target.ts";
import { succeeded, type Reply, type ShownRecord } from "../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import {
  areSeveral,
  confirm,
  mustConfirm,
  type DeleteSeveralOptions,
  type SeveralOptions,
} from "../arguments.ts";
import { SendctlError } from "../../core/error.ts";
import { safeText } from "../../core/text.ts";
import { kindOfReply } from "../../service/refusals.ts";
import {
  recordKey,
  withContacts,
  withHint,
  type DeletableKind,
  type FetchableKind,
  type FoundKey,
} from "./single.ts";

/** Shows the records that are named: one as it is, a group in a table with its number of contacts; several as a list. */
export async function fetchNamed(
  context: Capabilities,
  given: readonly string[],
  options: SeveralOptions,
  kind: FetchableKind,
): Promise<ExitCode> {
  if (areSeveral(given, options)) {
    const { fetchSeveral } = await import("./several.ts");
    return fetchSeveral(context, given, options, kind);
  }
  const { output, config } = context;
  const found = await recordKey(context, given[0], kind);
  const reply = await withHint(context, await kind.fetch(found), found, kind);
  const isTable = config.settings.format === "table" && output.query === undefined;
  if (!isTable || !succeeded(reply)) return output.record(reply, kind.view, { isNarrated: false });
  const envelope = reply.envelope!;
  const data = await withContacts(context, kind, envelope.data as ShownRecord, found.expected);
  const isKnown = data["contacts_count"] !== undefined;
  const shown = isKnown ? { ...reply, envelope: { ...envelope, data } } : reply;
  return output.record(shown, kind.view, { isNarrated: false });
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
  options: DeleteSeveralOptions,
): Promise<ExitCode> {
  if (areSeveral(given, options)) {
    const { deleteSeveral } = await import("./several.ts");
    return deleteSeveral(context, given, kind, options);
  }
  const { output, config } = context;
  if (output.query !== undefined && !config.settings.dryRun) {
    throw queryRefusal("the delete of one record");
  }
  let found: FoundKey;
  try {
    found = await recordKey(context, given[0], kind);
  } catch (error) {
    // An error with a status says that the request was refused, not that no record has the name.
    const isUnknown =
      error instanceof SendctlError && error.kind === "not_found" && !error.httpStatus;
    if (!isUnknown || !options.ignoreNotFound) throw error;
    return sayMissing(context, given[0]!, kind);
  }
  const isIgnored = (reply: Reply): boolean =>
    options.ignoreNotFound && kindOfReply(reply) === "not_found";
  let { expected } = found;
  if (!config.settings.dryRun && mustConfirm(context, options.yes, "delete")) {
    const fetched = await kind.fetch({ ...found, isExact: true });
    const reply = await withHint(context, fetched, found, kind);
    if (isIgnored(reply)) return sayMissing(context, found.key, kind);
    if (!succeeded(reply)) return output.refusal(reply);
    const shown = reply.envelope!.data as ShownRecord;
    const described = await withContacts(context, kind, shown, expected);
    const record = `${await kind.describe(found.key, described)}${kind.consequence(1)}`;
    const question = `Delete ${record} from ${targetName(config.settings)}?`;
    await confirm(context, "delete", question, "Nothing deleted", "service");
    expected = shown;
  }
  const reply = await kind.delete({ key: found.key, expected });
  if (isIgnored(reply)) return sayMissing(context, found.key, kind);
  const text = `${titleOf(kind.view, reply.before ?? expected, found.key)} deleted`;
  return output.done(await withHint(context, reply, found, kind), text);
}

/** Says that a record to delete does not exist, if the service has a list: another address has neither. */
async function sayMissing(
  { output, ask }: Pick<Capabilities, "output" | "ask">,
  key: string,
  { view, list }: DeletableKind,
): Promise<ExitCode> {
  const page = await ask.list(list)({ perPage: 1 });
  if (!succeeded(page)) return output.refusal(page);
  const message = `${titleOf(view, undefined, key)} does not exist`;
  await output.report({ message, data: null, text: "" });
  await output.say(safeText(message));
  return exitCodes.done;
}
