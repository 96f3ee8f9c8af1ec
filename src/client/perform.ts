import { contentHeaders, type Request, type WatchedRequest } from "../contract/request.ts";
import { checkLine, SendctlError, type Check } from "../core/error.ts";
import { attempt, type HttpResponse, type LostResponse } from "./http/attempt.ts";
import { pathOn } from "./http/route.ts";
import type { RemoteOptions } from "./options.ts";
import { mayHaveSucceeded } from "./errors.ts";
import { explainLost, redirectText } from "./http/explain.ts";
import { createPace } from "./http/pace.ts";
import { isDoubtful, isWrite, maxBackoffAfter, mayRetry, waitBefore } from "./http/retry.ts";

/** The outcome of a request over all its attempts: a response, or a write that may or may not have been carried out. */
type Performed = { readonly response: HttpResponse } | { readonly unknown: SendctlError };

export interface Performer {
  /**
   * Sends a request, and retries it while that is safe, until a response shows its outcome.
   *
   * @param check the command that shows whether the request succeeded
   * @throws SendctlError "unavailable" if nothing can have been changed, "unexpected_response", "cancelled"
   */
  readonly perform: (request: Request, check: Check) => Promise<Performed>;
  /** Waits before the nth repetition of a request. @throws SendctlError as `perform` */
  readonly backOff: (request: Request, nth: number, check: Check) => Promise<void>;
}

/** What sending a request needs. Without a key none is sent. */
export type PerformerOptions = Omit<
  RemoteOptions,
  "behaviour" | "eachRecord" | "keyHint" | "note" | "targetOptions" | "key"
> & { readonly key: string | undefined };

/** Creates the loop that sends all requests of a client. */
export function createPerformer(options: PerformerOptions): Performer {
  const { base, route, timeout, signal, elapsed, log } = options;
  const sleep = (milliseconds: number): Promise<void> => options.sleep(milliseconds, signal);
  const pace = createPace(elapsed, sleep);

  /** Returns the error for a request that cannot have changed anything. */
  const noResponse = (lost: LostResponse): SendctlError => {
    const { message, hint } = explainLost(lost, base.host, route.via);
    const kind = isNotHttp(lost) ? "unexpected_response" : "unavailable";
    return new SendctlError(kind, message, { hint });
  };

  const unknown = (
    outcome: HttpResponse | LostResponse,
    lostBefore: boolean,
    check: Check,
  ): SendctlError => {
    const { httpStatus, text } =
      "error" in outcome
        ? { httpStatus: undefined, text: explainLost(outcome, base.host, route.via).message }
        : { httpStatus: outcome.status, text: unknownText(outcome, lostBefore, base) };
    const details = { hint: checkLine(check), check, httpStatus };
    return new SendctlError("outcome_unknown", `${text}. ${mayHaveSucceeded}`, details);
  };

  const interrupted = ({ method }: Request, mayBeDone: boolean, check: Check): SendctlError => {
    const kind = signal.reason === "SIGTERM" ? "terminated" : "cancelled";
    return isWrite(method) && mayBeDone
      ? new SendctlError(kind, `Interrupted. ${mayHaveSucceeded}`, {
          hint: checkLine(check),
          check,
        })
      : new SendctlError(kind, "Interrupted: nothing was changed");
  };

  async function sendOnce(request: Request): Promise<HttpResponse | LostResponse> {
    const { method, body } = request;
    const path = pathOn(base, request.path);
    const plain = contentHeaders(request);
    await log(`> ${method} ${base.origin}${path}`);
    if (options.key !== undefined) await log("> Authorization: Bearer [hidden]");
    for (const [name, value] of Object.entries(plain)) await log(`> ${name}: ${value}`);
    const headers: Record<string, string> =
      options.key === undefined ? plain : { Authorization: `Bearer ${options.key}`, ...plain };
    const sentAt = elapsed();
    const outcome = await (options.attempt ?? attempt)(
      { method, url: base, path, headers, body },
      { timeout, signal, route },
    );
    await log(outcomeLine(outcome, elapsed() - sentAt));
    return outcome;
  }

  async function perform(
    request: Request,
    check: Check,
    watched: WatchedRequest | undefined,
  ): Promise<Performed> {
    let lostBefore = false;
    let accepted = pace.accepted();
    const unlessStopped = <Result>(waiting: Promise<Result>): Promise<Result> =>
      waiting.catch(() => {
        throw interrupted(request, lostBefore, check);
      });
    for (let attempts = 1; ;) {
      const turn = await unlessStopped(pace.turn());
      watched?.attempt(attempts, options.retries + 1);
      const outcome = await sendOnce(request).catch((error: unknown) => {
        turn.end("lost");
        throw error;
      });
      const later = waitBefore(outcome, attempts, options.now(), options.random());
      const isLimited = !("error" in outcome) && outcome.status === 429;
      if ("error" in outcome || (isLimited && later === undefined)) turn.end("lost");
      else turn.end(isLimited ? { wait: later! } : "accepted");
      const isUnclear = isDoubtful(request.method, outcome);
      if (signal.aborted) {
        throw interrupted(request, lostBefore || isUnclear || !("error" in outcome), check);
      }
      // All requests share a rate limit, so a 429 does not count as an attempt while others are accepted.
      const isShared = isLimited && pace.accepted() > accepted;
      accepted = pace.accepted();
      const mayRepeat =
        (isShared || attempts <= options.retries) && mayRetry(request.method, outcome, isUnclear);
      if (!mayRepeat || later === undefined) {
        // A temporary failure does not show whether the earlier attempt, whose response was lost, succeeded.
        const isOpen = lostBefore && ("error" in outcome || isNotNow(outcome));
        if (isUnclear || (isOpen && isWrite(request.method))) {
          return { unknown: unknown(outcome, lostBefore, check) };
        }
        if ("error" in outcome) throw noResponse(outcome);
        return { response: { ...outcome, text: options.hide(outcome.text) } };
      }
      lostBefore ||= isUnclear;
      if (!isShared) attempts += 1;
      await log(`  attempt ${attempts} in ${Math.round(later)} ms`);
      await watched?.pause(later, reasonOf(outcome));
      // After a 429 the pace delays the next turn.
      if (!isLimited) await unlessStopped(sleep(later));
    }
  }

  const reasonOf = (outcome: HttpResponse | LostResponse): string =>
    "error" in outcome
      ? explainLost(outcome, base.host, route.via).message
      : `${base.host} responded with HTTP ${outcome.status}`;

  return {
    perform: async (request, check) => {
      const watched = options.watch?.();
      try {
        return await perform(request, check, watched);
      } finally {
        await watched?.end();
      }
    },
    backOff: async (request, nth, check) => {
      const wait = options.random() * maxBackoffAfter(nth);
      await sleep(wait).catch(() => {
        throw interrupted(request, true, check);
      });
    },
  };
}

/** Describes a response to a write that leaves open whether it was carried out. */
function unknownText(response: HttpResponse, lostBefore: boolean, base: URL): string {
  const { host } = base;
  const { status } = response;
  if (status === 303) return redirectText(response, base);
  if (lostBefore) return `an earlier response of ${host} was lost, then it sent HTTP ${status}`;
  return status < 300
    ? `${host} sent HTTP ${status} without a record`
    : `unexpected response from ${host} (HTTP ${status}): not a response of the service`;
}

/** Returns whether data arrived that is not valid HTTP. */
function isNotHttp({ error }: LostResponse): boolean {
  return error.code?.startsWith("HPE_") === true;
}

function isNotNow({ status }: HttpResponse): boolean {
  return status === 429 || status >= 500;
}

function outcomeLine(outcome: HttpResponse | LostResponse, milliseconds: number): string {
  const taken = `after ${Math.round(milliseconds)} ms`;
  if ("error" in outcome) {
    const { code, message } = outcome.error;
    return `< ${code ?? message} ${taken}${outcome.unsent ? ", nothing was sent" : ""}`;
  }
  const headers = Object.entries(outcome.headers).map(
    ([name, value]) => `\n< ${name}: ${String(value)}`,
  );
  return `< ${outcome.status} ${taken}${headers.join("")}`;
}
