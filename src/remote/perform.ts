import { contentHeaders, type Request, type WatchedRequest } from "../contract/request.ts";
import type { Check, SendctlError } from "../contract/error.ts";
import { attempt, type HttpResponse, type LostResponse } from "./http/attempt.ts";
import { pathOn } from "./http/base-url.ts";
import type { RemoteOptions } from "./options.ts";
import { createErrors } from "./errors.ts";
import { explainLost } from "./http/explain.ts";
import { createPace } from "./http/pace.ts";
import { maxBackoffAfter, mayRetry, waitBefore } from "./http/retry.ts";
import { isDoubtful, isWrite } from "./writes/write-outcome.ts";

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
export type PerformerOptions = Pick<
  RemoteOptions,
  | "attempt"
  | "base"
  | "elapsed"
  | "hide"
  | "log"
  | "now"
  | "random"
  | "retries"
  | "route"
  | "signal"
  | "sleep"
  | "timeout"
  | "watch"
> & { readonly key: string | undefined };

/** Creates the loop that sends all requests of a client. */
export function createPerformer(options: PerformerOptions): Performer {
  const { base, route, timeout, signal, elapsed, log } = options;
  const sleep = (milliseconds: number): Promise<void> => options.sleep(milliseconds, signal);
  const pace = createPace(elapsed, sleep);
  const { noResponse, unknown, interrupted } = createErrors(options);

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
    for (let attempts = 1; ;) {
      const turn = await pace.turn().catch(() => {
        throw interrupted(request, lostBefore, check);
      });
      watched?.attempt(attempts, options.retries + 1);
      const outcome = await sendOnce(request).catch((error: unknown) => {
        turn.end("lost");
        throw error;
      });
      const later = waitBefore(outcome, attempts, options.now(), options.random());
      const isLimited = !("error" in outcome) && outcome.status === 429;
      if ("error" in outcome || (isLimited && later === undefined)) turn.end("lost");
      else turn.end(isLimited ? { wait: later! } : "accepted");
      const isUnclear = isDoubtful(request, outcome);
      if (signal.aborted) {
        throw interrupted(request, lostBefore || isUnclear || !("error" in outcome), check);
      }
      // All requests share a rate limit, so a 429 does not count as an attempt while others are accepted.
      const isShared = isLimited && pace.accepted() > accepted;
      accepted = pace.accepted();
      const mayRepeat =
        (isShared || attempts <= options.retries) && mayRetry(request, outcome, isUnclear);
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
      if (!isLimited) {
        await sleep(later).catch(() => {
          throw interrupted(request, lostBefore, check);
        });
      }
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
