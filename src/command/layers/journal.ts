import {
  journalFile,
  lastNotedAt,
  openJournal,
  ownerOf,
  readJournal,
  withoutRecords,
  type JournaledStep,
  type JournalEntry,
  type JournalWriter,
} from "../../config/journal.ts";
import { isOlderThan } from "../../client/compare.ts";
import {
  createRecentWrites,
  isRecent,
  type OwnWrite,
  type RecentWrites,
} from "../../client/recent-writes.ts";
import type { Settings } from "../../config/settings.ts";
import {
  isObject,
  shownSenderId,
  succeeded,
  type Reply,
  type ShownRecord,
} from "../../contract/service.ts";
import { SendctlError } from "../../core/error.ts";
import { jsonText, readJson } from "../../core/json-text.ts";
import { counted, cut, safeText, shellWord } from "../../core/text.ts";
import type { Shared } from "../process.ts";
import type { Call, Layer } from "./layer.ts";

/** Journals what writes changed, and reads the journal. */
export type Journal = ReturnType<typeof createJournal>;

/** Maximum length of a command line in the journal. */
const maxCommandLength = 2000;

/** Which groups use which sender IDs, which no response shows: see src/command/session.ts. */
interface Links {
  readonly senderIdOf: (group: ShownRecord) => Promise<string | null | undefined>;
  readonly groupsOf: (senderId: string) => Promise<readonly object[] | undefined>;
}

/**
 * Creates the journal of a command. Its only requests are reads of the embedded engine: for a
 * remote service, the call has the record already. A journal that cannot be written is a warning.
 */
export function createJournal(shared: Shared, links: Links) {
  const { settings, runtime, output } = shared;
  const file = journalFile(runtime);
  const now = (): number => runtime.now() / 1000;
  const recent = createRecentWrites(() => earlierWrites(file, settings, now()), now);
  const notes = createNotes(shared, recent, settings.isJournaled ? file : undefined);
  /** Adds the sender ID of a group, if it is known, to what the service shows of it. */
  const withSenderId = async (
    kind: JournaledStep["kind"],
    record: ShownRecord | null,
  ): Promise<ShownRecord | null> => {
    if (kind !== "group" || record === null) return record;
    const sender_id = await links.senderIdOf(record).catch(() => undefined);
    return sender_id === undefined ? record : { ...record, sender_id };
  };
  const isEmbedded = settings.baseUrl === undefined;
  let isStopped = false;
  const asBefore = createAsBefore();
  const layer: Layer = async (call, next) => {
    if (isStopped) return next();
    const before = await readBefore(call, isEmbedded, links);
    if (before.record !== null) call.onRead(before.record);
    const known = await withSenderId(before.step.kind, before.record);
    const step = { ...before.step, before: known, after: null };
    let reply: Reply;
    try {
      reply = await next();
    } catch (error) {
      const failed = failedStep(step, error, call, isEmbedded);
      if (failed !== undefined) {
        await notes.note({ ...failed, after: await withSenderId(failed.kind, failed.after) });
      }
      throw error;
    }
    const { status, envelope } = reply;
    // Also without an envelope, as with 204.
    if (status >= 200 && status < 300 && envelope?.status !== false) {
      const found = asBefore(before.step, call.before, call.expected);
      const done = complete({ ...step, before: known ?? found }, reply, call);
      await notes.note({ ...done, after: await withSenderId(done.kind, done.after) });
      for (const unlinked of before.unlinked) await notes.note(unlinked);
    }
    return reply;
  };
  return {
    /** Carries out a write, and notes what it changed. */
    layer,
    /** Notes the record of a create whose response was lost. */
    found: async (kind: OwnWrite["kind"], record: ShownRecord): Promise<void> => {
      const after = await withSenderId(kind, record);
      await notes.note({ action: "create", kind, before: null, after, wasLost: true });
    },
    /** What this user has written in the last minute, also without a history. */
    recent,
    /** Lists entries of target and key, latest first. @throws SendctlError "usage" if unreadable */
    entries: async (): Promise<readonly JournalEntry[]> => {
      if (file === undefined) return [];
      const { entries, damaged } = readJournal(file);
      if (damaged > 0) {
        await output.warn(`${counted(damaged, "damaged line")} of the history skipped`);
      }
      const { target, key } = ownerOf(settings);
      return entries.filter((entry) => entry.target === target && entry.key === key).toReversed();
    },
    /** Declares that the next requests take back an entry. */
    takeBack: notes.takeBack,
    /** Notes that the changes of a record were taken back. */
    tookBack: notes.tookBack,
    /** Stops journaling: `probe` only deletes what it created. */
    stop: (): void => {
      isStopped = true;
    },
  };
}

/**
 * Returns the writes of other commands in the last minute, by this user at this target with this
 * key: none if the journal cannot be read, because then nothing is known.
 *
 * @param now milliseconds since 1970
 */
function earlierWrites(
  file: string | undefined,
  settings: Settings,
  now: number,
): readonly OwnWrite[] {
  try {
    // Most commands come later, and need not read all of it.
    if (file === undefined || !isRecent(lastNotedAt(file) ?? now, now)) return [];
    const { target, key } = ownerOf(settings);
    return readJournal(file)
      .entries.filter((entry) => entry.target === target && entry.key === key)
      .flatMap(({ steps, time }) => steps.flatMap((step) => writeOf(step, Date.parse(time)) ?? []));
  } catch {
    return [];
  }
}

/** Returns a step as a write, if it is known what became of its record. @param at of its entry */
function writeOf(step: JournaledStep, at: number): OwnWrite | undefined {
  const { action, kind, before, after, problem, sent } = step;
  if (kind === undefined) return undefined;
  const write = { kind, at: step.at ?? at };
  // The service has confirmed it by an id alone.
  const isCreated = action === "create" && problem === "unknown" && sent?.["id"] !== undefined;
  if (isCreated) return { ...write, before: null, after: sent };
  if (action === "update" && problem === "unread" && sent !== undefined) {
    // How the service shows the sender ID that a raw request sent is not known.
    const { sender_id: _, ...after } = sent;
    return { ...write, before: undefined, after };
  }
  const isKnown = problem === undefined && (before !== null || action === "create");
  return isKnown ? { ...write, before, after } : undefined;
}

/** Creates the writer of the journal, opened for the first note. @param file undefined for none */
function createNotes(
  { settings, runtime, secrets, output, argv, cleanups }: Shared,
  recent: RecentWrites,
  file?: string,
) {
  let undoes: string | undefined;
  let writer: JournalWriter | undefined;
  let hasWarned = false;
  const open = (path: string): JournalWriter => {
    const now = runtime.now();
    const opened = openJournal(path, {
      id: `${now.toString(36)}-${runtime.random().toString(36).slice(2)}`,
      time: new Date(now / 1000).toISOString(),
      ...ownerOf(settings),
      command: commandLine(argv, secrets.hide),
      undoes,
    });
    cleanups.push(opened.close);
    return opened;
  };
  const append = async (lines: (opened: JournalWriter) => void): Promise<void> => {
    if (file === undefined) return;
    try {
      lines((writer ??= open(file)));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const text = `the history ${file} cannot be written: ${code ?? message}`;
      if (!hasWarned) await output.warn(safeText(`${text}; undo does not know this change`));
      hasWarned = true;
    }
  };
  return {
    note: (step: JournaledStep): Promise<void> => {
      const at = runtime.now() / 1000;
      const write = writeOf(step, at);
      if (write !== undefined) recent.note(write);
      const isSecret = secrets.isIn(jsonText([step.before, step.after, step.sent ?? null]));
      const problem = isSecret ? "secret" : step.problem;
      // A delete or update can be looked up even if it is uncertain, and the sent fields compared.
      const isWhole = problem !== "secret" && problem !== "request";
      return append(({ add }) => add({ ...(isWhole ? step : withoutRecords(step, problem)), at }));
    },
    takeBack: (entry: string): void => {
      undoes = entry;
    },
    tookBack: (key: string): Promise<void> => append(({ mark }) => mark(undoes!, key)),
  };
}

/**
 * Returns a function that returns the record before a write as it was before the command: a group
 * listed with a sender ID that this command then deleted shows none when it is read for its update.
 */
function createAsBefore() {
  const deleted = new Set<string>();
  return (
    { action, kind }: Before["step"],
    record: ShownRecord | null,
    expected: ShownRecord = {},
  ): ShownRecord | null => {
    if (record === null) return null;
    if (kind === "sender-id" && action === "delete") {
      for (const field of ["id", "name"]) deleted.add(String(record[field]));
    }
    const sender = shownSenderId(expected);
    const isLost =
      record["sender_id"] === null && typeof sender === "string" && deleted.has(sender);
    return isLost ? { ...record, sender_id: expected["sender_id"] } : record;
  };
}

type Before = Awaited<ReturnType<typeof readBefore>>;

/**
 * Reads what a write of the embedded engine changes: its record, and the groups that the delete of
 * a sender ID updates. If it cannot be read, the write shows why.
 */
async function readBefore(
  { method, path, body, fetch }: Call,
  isEmbedded: boolean,
  { groupsOf }: Links,
) {
  const { action, kind } = stepOf(method, path);
  const setsSenderId = jsonText(body ?? null).includes("sender_id") || undefined;
  const isRead = isEmbedded && (action === "update" || action === "delete");
  const record = recordOf(isRead ? await fetch().catch(() => undefined) : undefined);
  const name = String(record?.["name"]);
  const isUnlinking = isRead && kind === "sender-id" && record !== null;
  const users = isUnlinking ? await groupsOf(name).catch(() => []) : [];
  const unlinked = (users ?? []).map((group): JournaledStep => ({
    action: "update",
    kind: "group",
    before: { ...group, sender_id: name },
    after: { ...group, sender_id: null },
  }));
  return { step: { action, kind, setsSenderId }, record, unlinked };
}

/** Returns the step of a write that failed; undefined if nothing was changed. */
function failedStep(
  step: JournaledStep,
  error: unknown,
  { body, before: read }: Call,
  isEmbedded: boolean,
): JournaledStep | undefined {
  const { action } = step;
  // A create or an update that stored other values than those sent is complete.
  const { record, details = {} } = error as Partial<SendctlError>;
  const before = read ?? step.before;
  const { stored } = details;
  const isKnown = action === "create" || (action === "update" && before !== null);
  if (isKnown && stored !== undefined && record !== undefined) {
    return { ...step, before, after: record };
  }
  // A remote client reads a record before it sends a change of it.
  const isSent = isEmbedded || action === "create" || action === "request" || before !== null;
  if (!isSent || !mayHaveSucceeded(error)) return undefined;
  const given = isObject(body) ? body : undefined;
  // A create that was confirmed by an id alone: plans must not create another record of this name.
  const id = action === "create" && record?.["name"] === undefined ? record?.["id"] : undefined;
  const sent = id === undefined ? given : { ...given, id };
  return { ...step, before, sent, problem: "unknown" };
}

/** Returns the action of a write, and the kind of record of an operation of the service. */
function stepOf(method: string, path: string): Pick<JournaledStep, "action" | "kind"> {
  const [, kind, key] = /^\/v1\/(sender-id|group)(\/[^/?]+)?(?:\?|$)/.exec(path) ?? [];
  const action = ({ POST: "create", PUT: "update", DELETE: "delete" } as const)[method];
  const isOperation = kind !== undefined && (action === "create") === (key === undefined);
  if (!isOperation || action === undefined) return { action: "request" };
  return { action, kind: kind as "sender-id" | "group" };
}

/** Adds the record of the reply to a step, as it will be if the change was only accepted. */
function complete(
  step: JournaledStep,
  reply: Reply,
  { path, body, isListRead }: Call,
): JournaledStep {
  if (step.action === "request") return { ...step, problem: "request" };
  const record = recordOf(reply);
  // An update that was accepted may not show its values yet.
  const isAccepted = reply.status === 202 && step.action === "update" && isObject(body);
  const accepted = isAccepted ? { ...step.before, ...body } : {};
  const after = step.action === "delete" || record === null ? null : { ...record, ...accepted };
  // The service may have returned one that existed.
  const isOld =
    step.action === "create" && !isListRead && isOlderThan(record ?? {}, reply.headers?.["Date"]);
  if (isOld) return { ...step, after, problem: "unknown" };
  const isKnown =
    (step.action === "create" || step.before !== null) &&
    (step.action === "delete" || after !== null);
  if (isKnown) return { ...step, after };
  const given = step.action === "update" && typeof body === "string" ? readJson(body) : undefined;
  const id = record?.["id"] ?? path.split(/[/?]/)[3];
  const sent = isObject(given) ? { ...given, id } : undefined;
  return { ...step, before: null, sent, problem: "unread" };
}

function recordOf(reply: Reply | undefined): ShownRecord | null {
  const data = reply?.envelope?.data;
  return reply !== undefined && succeeded(reply) && isObject(data) ? data : null;
}

/** Returns whether a write that failed may have been carried out. */
function mayHaveSucceeded(error: unknown): boolean {
  if (!(error instanceof SendctlError)) return false;
  const { kind, record, cause, details } = error;
  const { check, stored } = details;
  if (kind === "outcome_unknown" || check !== undefined || stored !== undefined) return true;
  // The cause is an undecodable response to the write.
  return kind === "unexpected_response" && (record ?? cause) !== undefined;
}

/** Returns the words of a command line without secrets, and without the password of a database. */
function commandLine(argv: readonly string[], hide: (text: string) => string): string {
  const words = argv.map((word) =>
    shellWord(hide(word).replace(/(postgres(?:ql)?:\/\/).*/is, "$1…")),
  );
  return cut(hide(["sendctl", ...words].join(" ")), maxCommandLength);
}
