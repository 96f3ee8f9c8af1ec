import { targetName } from "../../config/target.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { isStop } from "../../core/error.ts";
import { counted, firstOf, safeText } from "../../core/text.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { queryRefusal } from "../../output/formats/format.ts";
import { textOf, titleOf } from "../../output/views.ts";
import type { Line } from "../../service/lines.ts";
import { type List, readList } from "../../service/read-list.ts";
import { isRefusal } from "../../service/refusals.ts";
import { confirm, type DeleteSeveralOptions, mustConfirm, unconfirmed } from "../arguments.ts";
import { type Failed, type Found, type Given, type Kind, nameRecords, withHints } from "./find.ts";
import {
  attemptEach,
  contactsOf,
  operate,
  type RecordContext,
  withoutRepeats,
  type Done,
  failureList,
  type Result,
  type Work,
  showFailures,
  summaryOf,
} from "./on-records.ts";

/**
 * Deletes the records of a command line after confirmation. The question shows them; those that do not exist are reported
 * before asking. A failure does not stop the others.
 *
 * @returns the exit code of the first failure
 * @throws SendctlError "usage" without `--yes` if prompting is not possible, "cancelled" if the user cancels
 */
export async function deleteRecords(
  context: RecordContext,
  kind: Kind,
  given: Given & DeleteSeveralOptions,
): Promise<ExitCode> {
  const { dryRun } = context.config.settings;
  const { isOne, isRead, find } = await nameRecords(context, kind, given);
  if (isOne && context.output.query !== undefined && !dryRun) {
    throw queryRefusal("the delete of one record");
  }
  const mustAsk = !dryRun && mustConfirm(context, given.yes, "delete");
  // Standard input has the records, so it cannot have the answer.
  if (mustAsk && isRead) throw unconfirmed("delete");
  const records = withoutRepeats(await find());
  return deleteFound(context, kind, records, { mustAsk, isOne, ...given });
}

interface DeleteOptions {
  /** Whether the delete must be confirmed. */
  readonly mustAsk: boolean;
  /** Whether one record was named, which is reported without a list. */
  readonly isOne?: boolean;
  /** Whether to succeed for records that do not exist. */
  readonly ignoreNotFound?: boolean;
  /** Sends the requests (default: by the keys of the records). */
  readonly send?: typeof operate;
}

/** Deletes records that were found, and reports which were deleted and which were not. @throws as `deleteRecords` */
export async function deleteFound(
  context: RecordContext,
  kind: Kind,
  records: readonly (Found | Failed)[],
  { mustAsk, isOne = false, ignoreNotFound = false, send = operate }: DeleteOptions,
): Promise<ExitCode> {
  const { output, ask, service } = context;
  const wanted = mustAsk ? await confirmed(context, kind, records, send) : records;
  const before = new Map<string, ShownRecord>();
  const remove: Work = (record) => {
    const onRead = (shown: ShownRecord): void => void before.set(record.key, shown);
    return send(service, kind, "delete", { ...record, onRead });
  };
  const all = withoutSame(await attemptEach(context, wanted, remove), before);
  const notFound = ignoreNotFound ? all.filter(isNotFound) : [];
  // Another address has neither the records nor a list.
  const list = ask.list(`${kind.resource}.list`);
  const isIgnored = notFound.length > 0 && (await hasList(list));
  const missing = isIgnored ? notFound.map(({ word }) => word) : [];
  const left = isIgnored ? all.filter((result) => !isNotFound(result)) : all;
  const results = await withHints(ask, kind, left);
  if (isOne) return showOne(output, kind, results[0], missing, before);
  const summary = summaryOf(results, kind, "deleted", all.length);
  const { message, done, failed, first } = summary;
  const data = {
    deleted: done.map(({ word }) => word),
    ...(ignoreNotFound ? { not_found: missing } : {}),
    failed: failureList(failed),
  };
  await output.report({ message, data, text: "", ...(first && { error: first }) });
  if (first === undefined) await output.say(message);
  if (missing.length > 0) await output.say(safeText(`Not found: ${firstOf(missing)}`));
  return showFailures(output, summary);
}

/** Returns whether the service shows a list, as it does with the right base URL. */
async function hasList(list: List): Promise<boolean> {
  try {
    await list({ perPage: 1 });
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

/** Reports the result for the only record. @param missing the word of a record that need not exist */
async function showOne(
  output: RecordContext["output"],
  { view }: Kind,
  result: Result | undefined,
  [missing]: readonly string[],
  before: ReadonlyMap<string, ShownRecord>,
): Promise<ExitCode> {
  if (result === undefined) {
    const message = `${titleOf(view, undefined, missing)} does not exist`;
    await output.report({ message, data: null, text: "" });
    await output.say(safeText(message));
    return exitCodes.done;
  }
  if ("failure" in result) throw result.failure;
  const { reply, expected, key } = result;
  return output.done(reply, `${titleOf(view, before.get(key) ?? expected, key)} deleted`);
}

function isNotFound(result: Result): boolean {
  return "failure" in result && result.failure.kind === "not_found";
}

/** Returns a key in the form in which a service shows it: uuids in lower case, ids without leading zeros. */
function shownKey(key: unknown): string {
  return String(key)
    .toLowerCase()
    .replace(/^0+(?=\d+$)/, "");
}

/** Removes the results that found nothing because another one has deleted the same record, named by another key. */
function withoutSame(
  results: readonly Result[],
  before: ReadonlyMap<string, ShownRecord>,
): readonly Result[] {
  const deleted = new Set(
    results.flatMap((result) => {
      const { id, uuid } = ("reply" in result && before.get(result.key)) || {};
      return [id, uuid].filter((key) => key !== undefined).map(shownKey);
    }),
  );
  return results.filter((result) => !isNotFound(result) || !deleted.has(shownKey(result.key)));
}

/** Asks for confirmation of the records that exist, and returns all of them, with what the user was shown. */
async function confirmed(
  context: RecordContext,
  kind: Kind,
  records: readonly (Found | Failed)[],
  send: typeof operate,
): Promise<readonly (Found | Failed)[]> {
  const { config, output, service } = context;
  const fetched = await attemptEach(
    context,
    records,
    // What is deleted has the name of the word to the letter.
    ({ key, expected = kind.resource === "sender-id" ? { name: key } : undefined }) =>
      send(service, kind, "fetch", { key, expected }),
  );
  const interrupted = fetched.find((result) => "failure" in result && isStop(result.failure.kind));
  if (interrupted !== undefined) throw (interrupted as Failed).failure;
  const lines: string[] = [];
  const shown: (Found | Failed)[] = [];
  for (const result of fetched) {
    if ("failure" in result) shown.push(result);
    else {
      lines.push(await described(context, kind, result));
      shown.push({ word: result.word, key: result.key, expected: recordOf(result) });
    }
  }
  if (lines.length === 0) return shown;
  const missing = fetched.filter(isNotFound).map(({ word }) => word);
  if (lines.length > 1) for (const line of lines) await output.say(`  ${safeText(line)}`);
  if (missing.length > 0) await output.say(safeText(`Not found: ${firstOf(missing)}`));
  const [named, their] =
    lines.length === 1 ? [lines[0]!, "its"] : [`these ${lines.length} ${kind.view.many}`, "their"];
  const deleted = kind.resource === "group" ? `${named} and ${their} contacts` : named;
  const question = `Delete ${deleted} from ${targetName(config.settings)}?`;
  await confirm(context, "delete", question, "Nothing deleted", "service");
  return shown;
}

function recordOf({ reply }: Done): ShownRecord {
  return reply.envelope!.data as ShownRecord;
}

/** Returns the description of a record for the question before its delete. */
async function described(context: RecordContext, kind: Kind, fetched: Done): Promise<string> {
  const record = recordOf(fetched);
  const { id = fetched.key, name, status } = record;
  if (kind.resource === "group") {
    const contacts = Number(await contactsOf(context.ask, kind, record, fetched.expected));
    const count = contacts > 0 ? `, ${counted(contacts, "contact")}` : "";
    return `group ${textOf(id)} (${textOf(name)}${count})`;
  }
  const groups = await countGroups(context, record);
  const use = groups === undefined ? "" : `, used by ${counted(groups, "group")}`;
  return `sender ID ${textOf(name ?? fetched.key)} (${textOf(status)}${use})`;
}

/** Returns how many groups use a sender ID; undefined if the service does not show that. */
async function countGroups(
  { target, ask }: RecordContext,
  { id, name }: ShownRecord,
): Promise<number | undefined> {
  const known = await target.groupsOf(String(name));
  if (known !== undefined) return known.length;
  let isShown = false;
  let count = 0;
  const add = async (lines: readonly Line[]): Promise<void> => {
    for (const { record } of lines) {
      const { sender_id: used } = record;
      isShown ||= used !== undefined;
      if (used === name || (id !== undefined && textOf(used) === textOf(id))) count += 1;
    }
  };
  // Without one on the first page, no group shows its sender ID.
  const options = { isEnough: () => !isShown };
  const read = await readList(ask.list("group.list"), { add }, options).catch(() => undefined);
  return read === undefined || !isShown ? undefined : count;
}
