import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError, type ErrorKind } from "../../contract/error.ts";
import { succeeded, type Reply } from "../../contract/service.ts";
import { kindOfReply } from "../../output/exit-codes.ts";
import { refusalMessage } from "../../output/refusal.ts";
import { Shown } from "../../service/shown.ts";

/** Why a record was not done. */
export interface Failure {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly httpStatus?: number | undefined;
  readonly hint?: string | undefined;
}

/** A record as a command line or standard input names it. */
export interface NamedRecord {
  readonly word: string;
  /** What its operations take, or why there is no such record. */
  readonly key: string | Failure;
}

/** What became of a record: the response of the service, or a failure. */
export type Attempt<Record extends NamedRecord = NamedRecord> = {
  readonly record: Record;
} & ({ readonly reply: Reply } | { readonly failure: Failure });

/** Why a record was not attempted after a signal. */
const notSent = "interrupted before its request was sent";

interface AttemptOptions {
  /** Progress as a terminal shows it (default: how many are done). */
  readonly progressText?: (done: number) => string;
  /** Records under way at once (default: 16). */
  readonly maxConcurrent?: number;
  /** Whether a signal ends the attempts, and the command goes on to report them (default: true). */
  readonly handlesSignals?: boolean;
}

/** Requests under way at once, as many as the client of a remote service sends at most. */
const defaultConcurrency = 16;

/** Errors that are not about a record: every other one would end with them, too. */
const fatal: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["usage", "auth", "output", "defect"]);
export const stops: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["cancelled", "terminated"]);

/**
 * Carries out an operation for each record. A failure of one leaves the others alone; after a signal no
 * further one is begun.
 *
 * @returns what became of each, in the order of the records
 * @throws SendctlError for what no record can be done without; Shown in a dry run
 */
export async function attemptEach<Record extends NamedRecord>(
  { output, config, processes }: Pick<Capabilities, "output" | "config" | "processes">,
  records: readonly Record[],
  work: (key: string, record: Record) => Promise<Reply>,
  options: AttemptOptions = {},
): Promise<readonly Attempt<Record>[]> {
  const { maxConcurrent = defaultConcurrency, handlesSignals = true } = options;
  const { progressText = (done) => `${done} of ${records.length}` } = options;
  const attempts: Attempt<Record>[] = [];
  const progress = output.progress();
  let stopped: Failure | undefined;
  let shown: Shown | undefined;
  let done = 0;
  if (handlesSignals) {
    processes.onSignal(["SIGINT", "SIGTERM"], (signal) => {
      stopped ??=
        signal === "SIGTERM"
          ? { kind: "terminated", message: notSent }
          : { kind: "cancelled", message: notSent };
    });
  }
  const attempt = async (record: Record): Promise<Attempt<Record>> => {
    if (stopped !== undefined) return { record, failure: stopped };
    if (typeof record.key !== "string") return { record, failure: record.key };
    try {
      const reply = await work(record.key, record);
      return succeeded(reply) ? { record, reply } : { record, failure: failureOf(reply) };
    } catch (error) {
      if (error instanceof Shown) shown = error;
      else if (!(error instanceof SendctlError) || fatal.has(error.kind)) throw error;
      else if (stops.has(error.kind)) stopped ??= { kind: error.kind, message: notSent };
      return { record, failure: error as Failure };
    }
  };
  const queue = records.entries();
  const lane = async (): Promise<void> => {
    for (const [index, record] of queue) {
      attempts[index] = await attempt(record);
      done += 1;
      await progress.update(progressText(done));
    }
  };
  // A dry run shows the requests in the order of the records.
  const lanes = config.settings.dryRun ? 1 : Math.min(maxConcurrent, records.length);
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    await progress.done();
  }
  if (shown !== undefined) throw shown;
  return attempts;
}

/** Returns why the service refused. */
function failureOf(reply: Reply): Failure {
  return {
    kind: kindOfReply(reply) ?? "invalid",
    message: refusalMessage(reply),
    httpStatus: reply.status,
  };
}
