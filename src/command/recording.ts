import {
  journalFile,
  openJournal,
  ownerOf,
  readJournal,
  withoutRecords,
  type JournaledStep,
  type JournalEntry,
  type JournalWriter,
} from "../config/journal.ts";
import { operations, type OperationName } from "../contract/operations.ts";
import type { AnyInput, Request } from "../contract/request.ts";
import {
  isObject,
  succeeded,
  type OperationHandler,
  type Reply,
  type Service,
  type ShownRecord,
} from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { jsonText } from "../core/json-text.ts";
import { counted, safeText, shellWord } from "../core/text.ts";
import type { Shared } from "./process.ts";

/** Carries out writes, journals what they changed, and reads the journal. */
export interface Recorder {
  readonly operate: (service: Service, name: OperationName, input: never) => Promise<Reply>;
  /** Sends a raw request. */
  readonly send: (send: SendRequest, request: Request) => Promise<Reply>;
  /** Returns the entries of this target and key, newest first. @throws SendctlError "usage" if the file is unreadable */
  readonly entries: () => Promise<readonly JournalEntry[]>;
  /** Declares that the next requests take back an entry. */
  readonly takeBack: (entry: string) => void;
  /** Notes that the changes of a record were taken back. */
  readonly tookBack: (key: string) => Promise<void>;
  /** Stops recording: `probe` only deletes what it created. */
  readonly stop: () => void;
}

type SendRequest = (request: Request) => Promise<Reply>;

/** Maximum length of a command line in the journal. */
const maxCommandLength = 2000;

/**
 * Creates the recorder of a command. Its only requests are reads of the embedded engine: a remote service reads a record
 * before it changes it, and returns it with the reply. A journal that cannot be written is a warning.
 */
export function createRecorder(shared: Shared): Recorder {
  const { settings, runtime, secrets, output, argv, cleanups } = shared;
  const isEmbedded = settings.baseUrl === undefined;
  let undoes: string | undefined;
  let writer: Promise<JournalWriter | undefined> | undefined;
  let hasWarned = false;
  let isStopped = false;

  const open = async (): Promise<JournalWriter | undefined> => {
    const file = journalFile(runtime);
    if (file === undefined) return undefined;
    const now = runtime.now();
    const head = {
      id: `${now.toString(36)}-${runtime.random().toString(36).slice(2)}`,
      time: new Date(now / 1000).toISOString(),
      ...ownerOf(settings),
      command: commandLine(argv, secrets.hide),
      undoes,
    };
    const signal = shared.stopSignal();
    const opened = await openJournal(file, head, (time) => runtime.sleep(time, signal));
    cleanups.push(opened.close);
    return opened;
  };
  const append = async (lines: (opened: JournalWriter) => void): Promise<void> => {
    try {
      const opened = await (writer ??= open());
      if (opened !== undefined) lines(opened);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const text = `the history ${journalFile(runtime)} cannot be written: ${code ?? message}`;
      if (!hasWarned) await output.warn(safeText(`${text}; this command cannot be undone`));
      hasWarned = true;
    }
  };
  const note = (step: JournaledStep): Promise<void> => {
    const isSecret = secrets.isHidden(jsonText([step.before, step.after]));
    const problem = isSecret ? "secret" : step.problem;
    return append(({ add }) => add(problem === undefined ? step : withoutRecords(step, problem)));
  };
  /** Carries out a write, and notes it. @param step without its records */
  const carryOut = async (
    step: Pick<JournaledStep, "action" | "kind" | "setsSenderId">,
    fetch: () => Promise<Reply>,
    write: () => Promise<Reply>,
  ): Promise<Reply> => {
    if (isStopped) return write();
    const isRead = isEmbedded && (step.action === "update" || step.action === "delete");
    // If it cannot be read, the write shows why.
    const read = isRead ? await fetch().catch(() => undefined) : undefined;
    const blank = { ...step, before: recordOf(read), after: null };
    let reply: Reply;
    try {
      reply = await write();
    } catch (error) {
      // A create that stored other values than those sent is complete.
      const { stored, record } = error as Partial<SendctlError>;
      const isCreated = step.action === "create" && stored !== undefined && record !== undefined;
      if (isCreated) await note({ ...blank, after: record });
      else if (mayHaveSucceeded(error)) await note({ ...blank, problem: "unknown" });
      throw error;
    }
    const { status, envelope } = reply;
    const isDone = status >= 200 && status < 300 && envelope?.status !== false;
    if (isDone) await note(complete({ ...blank, before: reply.before ?? blank.before }, reply));
    return reply;
  };

  return {
    operate: (service, name, input) => {
      const { action, kind } = stepOf(name);
      const { path, body }: AnyInput = input;
      const setsSenderId = isObject(body) && "sender_id" in body ? true : undefined;
      const fetch: OperationHandler = service[`${kind}.fetch`];
      const write: OperationHandler = service[name];
      return carryOut(
        { action, kind, setsSenderId },
        () => fetch({ path } as never),
        () => write(input),
      );
    },
    send: (send, request) => {
      const name = operationOf(request);
      const step = name === undefined ? { action: "request" as const } : stepOf(name);
      const read = { method: "GET", path: request.path, body: undefined };
      return carryOut(
        { ...step, setsSenderId: step.action === "update" || undefined },
        () => send(read),
        () => send(request),
      );
    },
    entries: async () => {
      const file = journalFile(runtime);
      if (file === undefined) return [];
      const { entries, damaged } = readJournal(file);
      if (damaged > 0) {
        await output.warn(`${counted(damaged, "damaged line")} of the history skipped`);
      }
      const { target, key } = ownerOf(settings);
      return entries.filter((entry) => entry.target === target && entry.key === key).toReversed();
    },
    takeBack: (entry) => {
      undoes = entry;
    },
    tookBack: (key) => append(({ mark }) => mark(undoes!, key)),
    stop: () => {
      isStopped = true;
    },
  };
}

/** Returns the action and the kind of record of a write. */
function stepOf(name: OperationName) {
  const [kind, action] = name.split(".");
  return { kind, action } as {
    readonly kind: "sender-id" | "group";
    readonly action: "create" | "update" | "delete";
  };
}

/** Adds the record of the reply to a step. */
function complete(step: JournaledStep, reply: Reply): JournaledStep {
  if (step.action === "request") return { ...step, problem: "request" };
  const after = step.action === "delete" ? null : recordOf(reply);
  const isKnown =
    (step.action === "create" || step.before !== null) &&
    (step.action === "delete" || after !== null);
  return { ...step, after, ...(isKnown ? {} : { problem: "unread" }) };
}

function recordOf(reply: Reply | undefined): ShownRecord | null {
  const data = reply?.envelope?.data;
  return reply !== undefined && succeeded(reply) && isObject(data) ? data : null;
}

/** Returns whether a write that failed may have been carried out. */
function mayHaveSucceeded(error: unknown): boolean {
  if (!(error instanceof SendctlError)) return false;
  const { kind, check, stored, record, cause } = error;
  if (kind === "outcome_unknown" || check !== undefined || stored !== undefined) return true;
  // The cause is an undecodable response to the write.
  return kind === "unexpected_response" && (record ?? cause) !== undefined;
}

/** Returns the write operation that a raw request is. */
function operationOf({ method, path }: Request): OperationName | undefined {
  const names = Object.keys(operations) as OperationName[];
  return names.find((name) => {
    const pattern = `^${operations[name].path.replace(/\{\w+\}/, "[^/?#]+")}(?:\\?|$)`;
    return operations[name].method === method && new RegExp(pattern).test(path);
  });
}

/** Returns the words of a command line without secrets, and without the password of a database. */
function commandLine(argv: readonly string[], hide: (text: string) => string): string {
  const words = argv.map((word) =>
    shellWord(hide(word).replace(/(postgres(?:ql)?:\/\/).*/is, "$1…")),
  );
  const line = hide(["sendctl", ...words].join(" "));
  return line.length > maxCommandLength ? `${line.slice(0, maxCommandLength)}…` : line;
}
