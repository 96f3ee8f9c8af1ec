import { SendctlError } from "../contract/error.ts";
import { outcomeOf, type Outcome } from "./outcome.ts";
import type { NoResponse, ProbeKey, ProbeResponse, ProbeTarget } from "./target.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Session {
  readonly get: (path: string, key?: ProbeKey) => Promise<Outcome>;
  /** Sends a write once; again only after a 429, which means that nothing was done. */
  readonly write: (method: Exclude<Method, "GET">, path: string, body?: object) => Promise<Outcome>;
  /** The same session for deleting what was created: it goes on after a signal and has no limit of requests. */
  readonly cleanup: Session;
  /** Waits before something is looked up again. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Returns the number of requests sent, by method. */
  readonly counts: () => Readonly<Record<string, number>>;
  /** Returns the names of the rate limit headers of all responses, and whether one was a 429. */
  readonly limits: () => { readonly headers: readonly string[]; readonly wasLimited: boolean };
  /** @throws SendctlError "cancelled" or "terminated" after a signal */
  readonly throwIfStopped: () => void;
}

/** Milliseconds between two requests to a remote service. */
const firstGap = 250;
const maxGap = 2000;

/** The longest wait that a service may ask for, in milliseconds. */
const maxWait = 60_000;

/** Attempts of a request that gets 429s. */
const maxLimited = 4;

/** Requests in a row without a response after which the service is given up. */
const maxLost = 3;

/** Milliseconds that a write in flight may take after a signal, so that its record is known. */
const grace = 3000;

/** Temporary failures after which a read is sent once more. */
const transient: ReadonlySet<number> = new Set([500, 502, 503, 504]);

const limitHeader = /^(?:x-)?rate-?limit/;

/** Creates a session, whose requests are sent one after the other. @param maxReads maximum number of GET requests */
export function createSession(target: ProbeTarget, maxReads: number): Session {
  const counts: Record<string, number> = {};
  const headers = new Set<string>();
  let wasLimited = false;
  let gap = target.isHttp ? firstGap : 0;
  /** Milliseconds that the next request must wait. */
  let hold = 0;
  let isFirst = true;
  let lostInARow = 0;
  let ended: string | undefined;

  const throwIfStopped = (): void => {
    if (!target.stop.aborted) return;
    const isTerm = target.stop.reason === "SIGTERM";
    throw new SendctlError(
      isTerm ? "terminated" : "cancelled",
      isTerm ? "Terminated" : "Cancelled",
    );
  };

  const sleep = async (milliseconds: number, isCleanup: boolean): Promise<void> => {
    if (milliseconds <= 0) return;
    try {
      await target.sleep(milliseconds, isCleanup ? target.abandon : target.stop);
    } catch (error) {
      if (!isCleanup) throwIfStopped();
      if (!target.abandon.aborted) throw error;
    }
  };

  /** Returns a signal that ends a write in flight some time after the program is stopped. */
  const writeSignal = (): { readonly signal: AbortSignal; readonly release: () => void } => {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const stopped = (): void => void target.sleep(grace, target.abandon).then(abort, abort);
    if (target.stop.aborted) stopped();
    else target.stop.addEventListener("abort", stopped, { once: true });
    const release = (): void => target.stop.removeEventListener("abort", stopped);
    return { signal: controller.signal, release };
  };

  const send = async (
    method: Method,
    path: string,
    body: string | undefined,
    key: ProbeKey,
    isCleanup: boolean,
  ): Promise<ProbeResponse | NoResponse> => {
    counts[method] = (counts[method] ?? 0) + 1;
    const request = { method, path, body };
    if (isCleanup) return target.send(request, key, target.abandon);
    if (method === "GET") return target.send(request, key, target.stop);
    const { signal, release } = writeSignal();
    try {
      return await target.send(request, key, signal);
    } finally {
      release();
    }
  };

  const perform = async (
    method: Method,
    path: string,
    body: string | undefined,
    key: ProbeKey,
    isCleanup: boolean,
  ): Promise<Outcome> => {
    let wasLost = false;
    for (let limited = 1; ;) {
      if (isCleanup && target.abandon.aborted) return missing("interrupted");
      if (!isCleanup) {
        throwIfStopped();
        if (ended !== undefined) return missing(ended);
        if (method === "GET" && (counts["GET"] ?? 0) >= maxReads) {
          return missing(`the limit of ${maxReads} GET requests was reached`);
        }
      }
      await sleep(Math.max(isFirst ? 0 : gap, hold), isCleanup);
      hold = 0;
      isFirst = false;
      const response = await send(method, path, body, key, isCleanup);
      for (const name of "lost" in response ? [] : Object.keys(response.headers)) {
        if (limitHeader.test(name)) headers.add(name);
      }
      if (!("lost" in response) && response.status === 429) {
        wasLimited = true;
        lostInARow = 0;
        gap = Math.min(maxGap, gap * 2);
        const wait = response.wait ?? 1000 * 2 ** (limited - 1);
        limited += 1;
        if (limited > maxLimited || wait > maxWait) {
          ended = "the service keeps limiting requests (HTTP 429)";
          return missing(ended);
        }
        hold = wait;
        continue;
      }
      if (!("lost" in response)) hold = Math.min(maxWait, response.wait ?? 0);
      const outcome = await outcomeOf(response);
      lostInARow = outcome.kind === "missing" ? lostInARow + 1 : 0;
      if (lostInARow >= maxLost && !isCleanup) ended = "the service stopped responding";
      const isTransient =
        outcome.kind === "missing" || (outcome.kind === "failed" && transient.has(outcome.status));
      if (method !== "GET" || !isTransient || wasLost || target.stop.aborted) return outcome;
      wasLost = true;
    }
  };

  const sessionOf = (isCleanup: boolean): Omit<Session, "cleanup"> => ({
    get: (path, key = "own") => perform("GET", path, undefined, key, isCleanup),
    write: (method, path, body) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      return perform(method, path, text, "own", isCleanup);
    },
    pause: (milliseconds) => sleep(target.isHttp ? milliseconds : 0, isCleanup),
    counts: () => ({ ...counts }),
    limits: () => ({ headers: [...headers], wasLimited }),
    throwIfStopped,
  });

  const ending = sessionOf(true);
  const cleanup: Session = {
    ...ending,
    get cleanup() {
      return cleanup;
    },
  };
  return { ...sessionOf(false), cleanup };
}

function missing(why: string): Outcome {
  return { kind: "missing", why, mayBeDone: false };
}
