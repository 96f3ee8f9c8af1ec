import { targetName } from "../../config/target.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { isStop } from "../../core/error.ts";
import { counted, firstOf, safeText } from "../../core/text.ts";
import { queryRefusal } from "../../output/formats/format.ts";
import { textOf, titleOf } from "../../output/views.ts";
import type { Line } from "../../service/lines.ts";
import { readList } from "../../service/read-list.ts";
import { confirm, mustConfirm, unconfirmed } from "../arguments.ts";
import type { Failed, Found, Kind, Named } from "./find.ts";
import {
  attemptEach,
  contactsOf,
  failureList,
  operate,
  type Act,
  type Done,
  type RecordContext,
  type Result,
} from "./on-records.ts";

/**
 * Returns the act that deletes the records of a command line after confirmation. The question shows
 * them; those that do not exist are reported before asking. A failure does not stop the others.
 *
 * @throws SendctlError "usage" without `--yes` if prompting is not possible
 */
export function deleting(
  context: RecordContext,
  kind: Kind,
  isConfirmed: boolean,
  { isOne, isRead }: Named,
): Act {
  const { output, config } = context;
  const { dryRun } = config.settings;
  if (isOne && output.query !== undefined && !dryRun)
    throw queryRefusal("the delete of one record");
  const mustAsk = !dryRun && mustConfirm(context, isConfirmed, "delete");
  // Standard input has the records, so it cannot have the answer.
  if (mustAsk && isRead) throw unconfirmed("delete");
  return deletion(context, kind, mustAsk);
}

/** Returns the act that deletes records. @param send sends the requests (default: by record key) */
export function deletion(
  context: RecordContext,
  kind: Kind,
  mustAsk: boolean,
  send: typeof operate = operate,
): Act {
  const { output, service } = context;
  const before = new Map<string, ShownRecord>();
  return {
    verb: "deleted",
    isChange: true,
    review: async (records) => (mustAsk ? confirmed(context, kind, records, send) : records),
    work: (record) => {
      const onRead = (shown: ShownRecord): void => void before.set(record.key, shown);
      return send(service, kind, "delete", { ...record, onRead });
    },
    show: (reply, { expected, key }) =>
      output.done(reply, `${titleOf(kind.view, before.get(key) ?? expected, key)} deleted`),
    showAll: ({ message, done, failed, first }) => {
      const data = { deleted: done.map(({ word }) => word), failed: failureList(failed) };
      return output.report({ message, data, text: "", ...(first && { error: first }) });
    },
  };
}

function isNotFound(result: Result): boolean {
  return "failure" in result && result.failure.kind === "not_found";
}

/** Asks to confirm the records that exist, and returns all of them, with what the user saw. */
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
