import { senderIdKind } from "../../../command/records/find.ts";
import { onRecords } from "../../../command/records/on-records.ts";
import type { Session } from "../../../command/session.ts";
import { SendctlError } from "../../../core/error.ts";
import type { Reply, Service, ShownRecord } from "../../../contract/service.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { orList, capitalized, safeText } from "../../../core/text.ts";
import {
  confirm,
  durationOf,
  emptyValue,
  missing,
  unknownStatus,
  type SeveralOptions,
} from "../../../command/arguments.ts";
import { isOfGateway, isRefusal } from "../../../service/refusals.ts";
import { knownStatuses } from "../../../contract/resources.ts";
import { senderIdView, textOf } from "../../../output/views.ts";

/** The values of the options. `timeout` is an older name of `within`. */
type WaitOptions = SeveralOptions &
  Readonly<Partial<Record<"for" | "within" | "timeout" | "interval", string>>>;

/**
 * Fetches sender IDs until they have a status, all at once: the client limits concurrency.
 *
 * @throws SendctlError "wait" at the time limit, or if the only sender ID is REJECTED, unless that
 *   is wanted; "cancelled" on Ctrl-C; "usage" for invalid options
 */
export async function waitForStatus(
  context: Session,
  given: readonly string[],
  options: WaitOptions,
): Promise<ExitCode> {
  const { within, timeout: alias, interval } = options;
  const limit = within ?? alias ?? "10m";
  const timeout = durationOf(limit, alias === undefined ? "--within" : "--timeout")!;
  const fixed = durationOf(interval, "--interval");
  return onRecords(context, senderIdKind, { words: given, ...options }, async () => {
    const wanted = await wantedStatus(context, options.for);
    // One timer for the whole wait, which ends pauses and slow requests alike.
    const ended = context.clock.sleep(timeout).then((): typeof outOfTime => outOfTime);
    ended.catch(() => {});
    const waitFor = createWait(context, wanted, limit, fixed, ended);
    return {
      verb: safeText(wanted),
      concurrency: Infinity,
      work: ({ key }, update) => waitFor(key, update),
      show: (reply) => {
        const { status } = reply.envelope!.data as ShownRecord;
        return context.output.record(reply, senderIdView, { done: `is ${textOf(status)}` });
      },
    };
  });
}

/** Returns the status to wait for. An unknown one may be a typo: it is a warning or a question. */
async function wantedStatus(context: Session, given: string | undefined): Promise<string> {
  const { output, ask } = context;
  const wanted = given ?? (await askForStatus(ask));
  if (wanted.trim() === "") throw emptyValue("--for", "pass a status such as APPROVED");
  const unknown = unknownStatus(wanted);
  const isAsked = given !== undefined && ask.prompter() !== undefined;
  if (unknown !== undefined && isAsked) {
    await confirm(context, "wait", `${capitalized(unknown)}. Wait for it?`, "Did not wait");
  } else if (unknown !== undefined) await output.warn(unknown);
  return wanted;
}

/** Asks for a status: one of those that are known, or another one. */
async function askForStatus(ask: Session["ask"]): Promise<string> {
  const prompter = ask.prompter();
  if (prompter === undefined)
    throw missing(`--for (${orList(["APPROVED", "REJECTED", "PENDING"])})`);
  const question = "Status to wait for";
  const chosen = await prompter.select(
    question,
    [
      ...knownStatuses.map((status) => ({ value: status, name: status })),
      { value: "", name: "Another status" },
    ],
    "APPROVED",
  );
  return chosen === "" ? prompter.ask(question) : chosen;
}

/** Milliseconds between requests without --interval: a review takes minutes or days. */
const firstInterval = 1000;
const maxInterval = 30_000;
const growth = 1.5;

const outOfTime = Symbol("out of time");

/**
 * Returns a function that fetches a sender ID until it has a status, and returns the reply.
 *
 * @param limit the time limit of the whole wait as given: `10m`
 * @param interval milliseconds between requests; undefined for a growing pause
 * @param ended resolves when the time limit is reached, rejects on a signal
 * @returns a function that throws SendctlError "wait" at the time limit, or if it is REJECTED and
 *   that is not the wanted status; Refusal
 */
function createWait(
  { service, clock, output }: Session,
  wanted: string,
  limit: string,
  interval: number | undefined,
  ended: Promise<typeof outOfTime>,
) {
  const start = clock.elapsed();
  return async (name: string, update?: (text: string) => Promise<void>): Promise<Reply> => {
    let status: string | undefined;
    let pause = interval ?? firstInterval;
    /** Whether the last request failed, which may be over by the next. */
    let isAway = false;
    /** Returns the result, unless the time is up. */
    const inTime = async <Result>(work: Promise<Result>): Promise<Result> => {
      const result = await Promise.race([work, ended]);
      if (result !== outOfTime) return result;
      throw tooLate(name, status, limit);
    };
    for (;;) {
      const reply = await inTime(fetched(service, name));
      if (typeof reply !== "string") {
        status = textOf((reply.envelope!.data as ShownRecord)["status"]);
        if (isSame(status, wanted)) return reply;
        if (isSame(status, "REJECTED")) {
          const message = `${named(name)} is ${status} and cannot become ${safeText(wanted)}`;
          throw new SendctlError("wait", message);
        }
      } else if (!isAway) await output.warn(`${safeText(reply)}; the wait goes on`);
      isAway = typeof reply === "string";
      const waited = Math.round((clock.elapsed() - start) / 1000);
      await update?.(`${named(name)} is ${status ?? "not known"} · ${waited}s of ${limit}`);
      await inTime(clock.sleep(pause));
      pause = interval ?? Math.min(pause * growth, maxInterval);
    }
  };
}

/**
 * Fetches a sender ID.
 *
 * @returns the message of a failure that may pass: no connection, HTTP 408, 429 and 5xx, a page of
 *   a gateway, and a new sender ID that is not shown yet
 * @throws any other error
 */
async function fetched(service: Service, name: string): Promise<Reply | string> {
  try {
    return await service["sender-id.fetch"]({ path: { name }, isCurrent: true });
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    if (isRefusal(error)) {
      const { status } = error.reply;
      const isTemporary = status === 408 || status >= 500 || error.kind === "rate_limited";
      if (isTemporary || isOfGateway(error.reply)) return error.message;
      throw error;
    }
    const { kind, record, message, details } = error;
    const { httpStatus = 200 } = details;
    const isPage = kind === "unexpected_response" && record === undefined && httpStatus < 300;
    // A new one may not be shown yet.
    if (isPage || kind === "unavailable" || kind === "differences") return message;
    throw error;
  }
}

/** Compares statuses, ignoring case. */
function isSame(status: string, wanted: string): boolean {
  return status.toUpperCase() === wanted.toUpperCase();
}

function named(name: string): string {
  return `Sender ID ${safeText(name)}`;
}

function tooLate(name: string, status: string | undefined, limit: string): SendctlError {
  const message =
    status === undefined
      ? `${named(name)} could not be fetched within ${limit}`
      : `${named(name)} is still ${status} after ${limit}`;
  return new SendctlError("wait", message, { hint: "run it again, or pass a longer --within" });
}
