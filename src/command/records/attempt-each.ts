import type { Capabilities } from "../capabilities.ts";
import { SendctlError, type Check, type ErrorKind, DryRunEnded } from "../../core/error.ts";
import { succeeded, type RecordIdentity, type Reply } from "../../contract/service.ts";
import { kindOfReply, refusalMessage } from "../../service/refusals.ts";
import type { FoundKey } from "./group-names.ts";

/** Why the operation on a record failed. */
export interface Failure {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly httpStatus?: number | undefined;
  readonly hint?: string | undefined;
  /** How to find out whether a write succeeded. */
  readonly check?: Check | undefined;
}

/** A record named on the command line or standard input. */
export interface NamedRecord {
  readonly word: string;
  /** The key for its operations, or why no such record was found. */
  readonly key: string | Failure;
  /** What was shown of the record: in the list, for a group found by its name, or to the user who confirmed. */
  readonly expected?: RecordIdentity | undefined;
}

/** The result for a record: the service's response, or a failure. */
export type Attempt = { readonly record: NamedRecord } & (
  | { readonly reply: Reply }
  | { readonly failure: Failure }
);

/** The message for a record that was not attempted because of a signal. */
const notSent = "interrupted before its request was sent";

interface AttemptOptions {
  /** Number of records in progress at once (default: 16). */
  readonly maxConcurrent?: number;
  /** Whether a signal ends the attempts but lets the command report them (default: true). */
  readonly handlesSignals?: boolean;
}

/** Concurrent requests; the same limit as in the remote client. */
const defaultConcurrency = 16;

/** Errors that are not specific to a record: all other records would fail in the same way. */
const fatalKinds: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "usage",
  "auth",
  "output",
  "defect",
]);
export const stopKinds: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["cancelled", "terminated"]);

/**
 * Carries out an operation on each record. If one fails, the others continue; a signal prevents further ones
 * from starting.
 *
 * @returns the result for each, in the order of the records
 * @throws SendctlError for errors that affect every record; DryRunEnded in a dry run
 */
export async function attemptEach(
  { output, config, processes }: Pick<Capabilities, "output" | "config" | "processes">,
  records: readonly NamedRecord[],
  work: (record: FoundKey) => Promise<Reply>,
  options: AttemptOptions = {},
): Promise<readonly Attempt[]> {
  const { maxConcurrent = defaultConcurrency, handlesSignals = true } = options;
  const attempts: Attempt[] = [];
  const progress = output.progress();
  let stopped: Failure | undefined;
  let shown: DryRunEnded | undefined;
  let done = 0;
  if (handlesSignals) {
    processes.onSignal(["SIGINT", "SIGTERM"], (signal) => {
      stopped ??=
        signal === "SIGTERM"
          ? { kind: "terminated", message: notSent }
          : { kind: "cancelled", message: notSent };
    });
  }
  const attempt = async (record: NamedRecord): Promise<Attempt> => {
    const { key, expected } = record;
    if (stopped !== undefined) return { record, failure: stopped };
    if (typeof key !== "string") return { record, failure: key };
    try {
      const reply = await work({ key, expected });
      return succeeded(reply) ? { record, reply } : { record, failure: failureOf(reply) };
    } catch (error) {
      if (error instanceof DryRunEnded) shown = error;
      else if (!(error instanceof SendctlError) || fatalKinds.has(error.kind)) throw error;
      else if (stopKinds.has(error.kind)) stopped ??= { kind: error.kind, message: notSent };
      return { record, failure: error as Failure };
    }
  };
  const queue = records.entries();
  const worker = async (): Promise<void> => {
    for (const [index, record] of queue) {
      attempts[index] = await attempt(record);
      done += 1;
      await progress.update(`${done} of ${records.length}`);
    }
  };
  // A dry run prints the requests in the order of the records.
  const workers = config.settings.dryRun ? 1 : Math.min(maxConcurrent, records.length);
  try {
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    await progress.done();
  }
  if (shown !== undefined) throw shown;
  return attempts;
}

/** Returns the failure for a refusal by the service. */
function failureOf(reply: Reply): Failure {
  return {
    kind: kindOfReply(reply) ?? "invalid",
    message: refusalMessage(reply),
    httpStatus: reply.status,
    hint: reply.hint,
  };
}
