import { version } from "../../package.json";
import { contentHeaders, isRead, type Request, type WatchedRequest } from "../contract/request.ts";
import {
  SendctlError,
  isStop,
  stoppedBy,
  type Check,
  type ErrorDetails,
  type ErrorKind,
} from "../core/error.ts";
import { attempt, type HttpResponse, type LostResponse } from "./http/attempt.ts";
import { explainLost, redirectText, type Peer } from "./http/explain.ts";
import {
  createPace,
  isDoubtful,
  isRateLimit,
  maxBackoffAfter,
  mayRetry,
  requestedWait,
  waitBefore,
} from "./http/retry.ts";
import { pathOn, type Route } from "./http/route.ts";
import { refusalLine } from "../service/refusals.ts";
import { isObject } from "../contract/service.ts";
import { readJson } from "../core/json-text.ts";

/** Firewalls refuse requests without it. */
const userAgent = `sendctl/${version}`;

export const mayHaveSucceeded = "The request may have succeeded";

/** The outcome of all attempts of a request: a response, or a write that may have been done. */
type Performed =
  | {
      readonly response: HttpResponse;
      /** The error of an earlier attempt that may have been carried out. */
      readonly lost?: SendctlError | undefined;
    }
  | { readonly unknown: SendctlError };

/** What sending a request needs. */
export interface PerformerOptions {
  /** Sends a request once (default: over HTTP). */
  readonly attempt?: typeof attempt;
  readonly base: URL;
  /** Without a key none is sent. */
  readonly key: string | undefined;
  /** Removes secrets from a text (default: none are known). */
  readonly hide?: (text: string) => string;
  /** Timeout of one attempt, in milliseconds. */
  readonly timeout: number;
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  /** Whether a 429 without a time is repeated for a minute, despite `retries` (default: false). */
  readonly isPatient?: boolean;
  readonly route: Route;
  /** Aborts requests in flight. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Random number from 0 to 1. */
  readonly random: () => number;
  /** Resolves after `milliseconds`; rejects when the signal aborts it. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Prints a line of `--debug`. */
  readonly log: (line: string) => Promise<void>;
  /** Called as each request begins; undefined if progress is not shown. */
  readonly watch: (() => WatchedRequest) | undefined;
  /** Throws if nothing may be changed. Called before every write. */
  readonly beforeChange?: () => void;
}

/** Creates the loop that sends all requests of a client. */
export function createPerformer(options: PerformerOptions) {
  const { signal } = options;
  const pace = createPace(options.elapsed, (milliseconds) => options.sleep(milliseconds, signal));
  return {
    /**
     * Sends a request, and retries it while that is safe, until a response shows its outcome.
     *
     * @param check the command that shows whether the request succeeded
     * @throws SendctlError "unavailable" if nothing was changed, "unexpected_response", "cancelled"
     */
    perform: async (request: Request, check: Check): Promise<Performed> => {
      const watched = options.watch?.();
      try {
        return await performWatched(options, pace, request, check, watched);
      } finally {
        await watched?.end();
      }
    },
    /** Waits. @param mayBeDone a write was sent @throws SendctlError "cancelled" or "terminated" */
    pause: async (milliseconds: number, check: Check, mayBeDone = false): Promise<void> => {
      await options.sleep(milliseconds, signal).catch(() => {
        throw interrupted(signal, mayBeDone, check);
      });
    },
    /** Waits before the nth repetition of a write of unknown outcome. @throws as `perform` */
    backOff: async (nth: number, check: Check): Promise<void> => {
      await options.sleep(options.random() * maxBackoffAfter(nth), signal).catch(() => {
        throw interrupted(signal, true, check);
      });
    },
  };
}

/** In milliseconds: for how long a patient client waits, and the least that a pause counts. */
const patience = 60_000;
const leastPause = 250;

/** Least pause, in milliseconds, after a rate limit has left a write open. Most are per second. */
const pauseAfterLoss = 1000;

/** Turns of requests, which a rate limit delays. */
type Pace = ReturnType<typeof createPace>;

/** Sends a request until its outcome is known or may not be repeated: see `createPerformer`. */
async function performWatched(
  options: PerformerOptions,
  pace: Pace,
  request: Request,
  check: Check,
  watched: WatchedRequest | undefined,
): Promise<Performed> {
  const { base, signal, log } = options;
  const { method } = request;
  if (!isRead(method)) options.beforeChange?.();
  /** Whether an earlier attempt may have been carried out. */
  let lostBefore = false;
  let lost: SendctlError | undefined;
  let accepted = pace.accepted();
  /** Milliseconds that this request has waited after rate limits that name no time. */
  let waited = 0;
  const peer = (): Peer => ({ base, via: options.route.via, isKnown: pace.accepted() > 0 });
  const unlessStopped = <Result>(waiting: Promise<Result>): Promise<Result> =>
    waiting.catch(() => {
      throw interrupted(signal, lostBefore, check);
    });
  for (let attempts = 1; ;) {
    const turn = await unlessStopped(pace.turn());
    watched?.attempt(attempts, options.retries + 1);
    const outcome = await sendOnce(options, request).catch((error: unknown) => {
      turn.end("lost");
      throw error;
    });
    const isLost = "error" in outcome;
    if (isLost && outcome.wasIdle === true && isRead(method) && !signal.aborted) {
      // Sending it over another connection is not a retry: the service has not failed.
      turn.end("lost");
      continue;
    }
    const isLimited = !isLost && isRateLimit(outcome);
    // nginx limits rates with 503.
    const isSlowed = isLimited || (!isLost && outcome.status === 503);
    const wait = waitBefore(outcome, attempts, options.now(), options.random());
    const isUnclear = isDoubtful(method, outcome);
    const isNamed = isSlowed && requestedWait(outcome, options.now()) !== undefined;
    if (isLost || (isSlowed && wait === undefined)) turn.end("lost");
    else if (!isSlowed) turn.end("accepted");
    // Others must not be lost like a create that is not repeated.
    else turn.end({ wait: Math.max(wait!, isUnclear ? pauseAfterLoss : 0), isNamed });
    if (signal.aborted) {
      throw interrupted(signal, lostBefore || isUnclear || (!isLost && !isRead(method)), check);
    }
    // Requests share a rate limit: such a response is not an attempt while others are accepted.
    const isShared = isSlowed && options.retries > 0 && pace.accepted() > accepted;
    accepted = pace.accepted();
    const isOpenEnded = isLimited && outcome.status === 429 && !isNamed;
    if (isOpenEnded) waited += Math.max(leastPause, wait!);
    const isWaitedFor = isOpenEnded && options.isPatient === true && waited <= patience;
    const isLast = !isShared && !isWaitedFor && attempts > options.retries;
    if (isLast || wait === undefined || !mayRetry(method, outcome, isUnclear)) {
      // A temporary failure does not show whether the earlier attempt succeeded.
      const isOpen = isUnclear || (lostBefore && (isLost || isTemporary(outcome)));
      if (isOpen) return { unknown: unknownOutcome(peer(), outcome, lostBefore, check) };
      if (isLost) throw noResponse(peer(), outcome);
      return { response: outcome, lost };
    }
    if (isUnclear) lost ??= unknownOutcome(peer(), outcome, lostBefore, check);
    lostBefore ||= isUnclear;
    if (!isShared) attempts += 1;
    await log(`  attempt ${attempts} in ${Math.round(wait)} ms`);
    const reason = isLost
      ? explainLost(outcome, peer()).message
      : `${base.host} responded with HTTP ${outcome.status}`;
    await watched?.pause(wait, reason);
    // The pace delays the next turn of a client that was slowed down.
    if (!isSlowed) await unlessStopped(options.sleep(wait, signal));
  }
}

/** Sends a request once. */
async function sendOnce(
  options: PerformerOptions,
  request: Request,
): Promise<HttpResponse | LostResponse> {
  const { base, key, route, timeout, signal, elapsed, log } = options;
  const { method, body } = request;
  const path = pathOn(base, request.path);
  const plain = { ...contentHeaders(request), "User-Agent": userAgent };
  await log(`> ${method} ${base.origin}${path}`);
  if (key !== undefined) await log("> Authorization: Bearer [hidden]");
  for (const [name, value] of Object.entries(plain)) await log(`> ${name}: ${value}`);
  const headers: Record<string, string> =
    key === undefined ? plain : { Authorization: `Bearer ${key}`, ...plain };
  const sentAt = elapsed();
  const { isBeforeWrite } = request;
  const outgoing = {
    method,
    url: base,
    path,
    headers,
    body,
    timeout,
    signal,
    route,
    isBeforeWrite,
  };
  const outcome = await (options.attempt ?? attempt)(outgoing);
  await log(outcomeLine(outcome, elapsed() - sentAt));
  return outcome;
}

/** Returns the error for a command that a signal ended. */
function interrupted({ reason }: AbortSignal, mayBeDone: boolean, check: Check): SendctlError {
  const stopped = stoppedBy(reason, "Interrupted: nothing was changed");
  if (!mayBeDone) return stopped;
  return interruptedAfterWrite(stopped.kind, { check });
}

/** Returns the error for a command that a signal ended after a write. @param kind of the signal */
export function interruptedAfterWrite(kind: ErrorKind, details: ErrorDetails): SendctlError {
  return new SendctlError(kind, `Interrupted. ${mayHaveSucceeded}`, details);
}

/** Returns the error for a write that may have been carried out. */
function unknownOutcome(
  peer: Peer,
  outcome: HttpResponse | LostResponse,
  lostBefore: boolean,
  check: Check,
): SendctlError {
  const { httpStatus, text } =
    "error" in outcome
      ? { httpStatus: undefined, text: lostText(outcome, peer) }
      : { httpStatus: outcome.status, text: unknownText(outcome, lostBefore, peer.base) };
  const details = { check, httpStatus };
  const message = `${text.replace(/\.$/, "")}. ${mayHaveSucceeded}`;
  return new SendctlError("outcome_unknown", message, details);
}

function lostText(lost: LostResponse, peer: Peer): string {
  const { message, hint } = explainLost(lost, peer);
  return hint === undefined ? message : `${message} (${hint})`;
}

/** Returns the error for a request that cannot have changed anything. */
function noResponse(peer: Peer, lost: LostResponse): SendctlError {
  const { message, hint } = explainLost(lost, peer);
  const isHttp = lost.error.code?.startsWith("HPE_") !== true;
  return new SendctlError(isHttp ? "unavailable" : "unexpected_response", message, { hint });
}

/** Describes a response to a write that leaves open whether it was carried out. */
function unknownText(response: HttpResponse, lostBefore: boolean, base: URL): string {
  const { host } = base;
  const { status } = response;
  if (status === 303) return redirectText(response, base);
  const isSaid = status >= 400 && isObject(readJson(response.text));
  if (isSaid) return refusalLine({ status, text: response.text, envelope: undefined });
  if (lostBefore) return `${host} sent HTTP ${status} after an attempt with an unknown outcome`;
  return status < 300
    ? `${host} sent HTTP ${status} without a record`
    : `unexpected response from ${host} (HTTP ${status}): not a response of the service`;
}

function isTemporary(response: HttpResponse): boolean {
  return isRateLimit(response) || response.status >= 500;
}

function outcomeLine(outcome: HttpResponse | LostResponse, milliseconds: number): string {
  const duration = `after ${Math.round(milliseconds)} ms`;
  if ("error" in outcome) {
    const { code, message } = outcome.error;
    return `< ${code ?? message} ${duration}${outcome.unsent ? ", nothing was sent" : ""}`;
  }
  const headers = Object.entries(outcome.headers).map(
    ([name, value]) => `\n< ${name}: ${String(value)}`,
  );
  return `< ${outcome.status} ${duration}${headers.join("")}`;
}

/** Returns the error for a write with an unknown outcome whose lookup failed or was interrupted. */
export function afterLoss(unknown: SendctlError, failure: unknown): unknown {
  if (!(failure instanceof SendctlError)) return failure;
  if (!isStop(failure.kind)) return unknown;
  const { message, hint, details: found } = unknown;
  const details = { hint, check: found.check, cause: failure };
  return new SendctlError(failure.kind, `Interrupted. ${message}`, details);
}
