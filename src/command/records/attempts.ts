import { succeeded, type Reply } from "../../contract/service.ts";
import { DryRunEnded, type ErrorKind, isStop, SendctlError, stoppedBy } from "../../core/error.ts";
import { failureOf } from "../../service/refusals.ts";
import type { Capabilities } from "../context.ts";
import type { Failed, Found } from "./find.ts";

/** A record that something was done with, and the response of the service. */
export type Done = Found & { readonly reply: Reply };

/** What came of a record. */
export type Result = Done | Failed;

/** Carries out an operation on a record. @param update shows progress, if it is the only record */
export type Work = (record: Found, update?: (text: string) => Promise<void>) => Promise<Reply>;

/** Concurrent requests; the same limit as in the remote client. */
const defaultConcurrency = 16;

const notSent = "interrupted before its request was sent";

/** Errors that are not specific to a record: all other records would fail in the same way. */
const fatalKinds: ReadonlySet<ErrorKind> = new Set(["usage", "auth", "output", "defect"]);

/**
 * Carries out an operation on each record that was found. If one fails, the others continue; a signal, a rejected key and
 * any other error that is not specific to a record prevent further ones from starting.
 *
 * @param concurrency number of records in progress at once; a dry run prints its requests in the order of the records
 * @param handlesSignals whether a signal ends the attempts but lets the command report them
 * @returns the results, in the order of the records
 * @throws SendctlError for an error that nothing but it came of; DryRunEnded in a dry run
 */
export async function attemptEach(
  { output, config, processes }: Pick<Capabilities, "output" | "config" | "processes">,
  records: readonly (Found | Failed)[],
  work: Work,
  { concurrency = defaultConcurrency, handlesSignals = true } = {},
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const progress = output.progress();
  const isOne = records.length === 1;
  let stopped: SendctlError | undefined;
  let fatal: SendctlError | undefined;
  let dryRun: DryRunEnded | undefined;
  let done = 0;
  const stop = (error: SendctlError): void => void (stopped ??= error);
  const ignoreSignals = handlesSignals
    ? processes.onSignal(["SIGINT", "SIGTERM"], (signal) => stop(stoppedBy(signal, notSent)))
    : undefined;
  const attempt = async (record: Found): Promise<Result> => {
    const { word, key } = record;
    if (stopped !== undefined) return { word, key, failure: stopped };
    try {
      const reply = await work(record, isOne ? progress.update : undefined);
      if (succeeded(reply)) return { ...record, reply };
      if (reply.status === 401) stop(new SendctlError("auth", notSent));
      return { word, key, failure: failureOf(reply), refusal: reply };
    } catch (error) {
      if (error instanceof DryRunEnded) dryRun = error;
      else if (!(error instanceof SendctlError)) throw error;
      else if (isStop(error.kind)) stop(new SendctlError(error.kind, notSent));
      else if (fatalKinds.has(error.kind)) {
        fatal ??= error;
        stop(new SendctlError(error.kind, notSent));
      }
      return { word, key, failure: error as SendctlError };
    }
  };
  const queue = records.entries();
  const worker = async (): Promise<void> => {
    for (const [index, record] of queue) {
      results[index] = "failure" in record ? record : await attempt(record);
      done += 1;
      if (!isOne) await progress.update(`${done} of ${records.length}`);
    }
  };
  const workers = config.settings.dryRun ? 1 : Math.min(concurrency, records.length);
  try {
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    ignoreSignals?.();
    await progress.done();
  }
  if (dryRun !== undefined) throw dryRun;
  const isAll = results.every(
    (result) => "failure" in result && result.failure.kind === fatal?.kind,
  );
  if (fatal !== undefined && isAll) throw fatal;
  return results;
}
