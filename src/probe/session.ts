import { SendctlError } from "../contract/error.ts";
import type { Request } from "../contract/request.ts";
import { outcomeOf, type Outcome } from "./outcome.ts";
import type { NoResponse, ProbeKey, ProbeResponse, ProbeTarget, Sending } from "./target.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Sends requests. */
export interface Requests {
  readonly get: (path: string, key?: ProbeKey) => Promise<Outcome>;
  readonly write: (method: Exclude<Method, "GET">, path: string, body?: object) => Promise<Outcome>;
  /** Waits before something is looked up again. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

export interface Session extends Requests {
  /** For deleting what was created: goes on after a signal and has no limit of requests. */
  readonly cleanup: Requests;
  /** Returns the number of requests sent, by method. */
  readonly counts: () => Readonly<Record<string, number>>;
  /** Returns the names of the rate limit headers of all responses, and whether one was a 429. */
  readonly limits: () => { readonly headers: readonly string[]; readonly wasLimited: boolean };
  /** @throws SendctlError "cancelled" or "terminated" after a signal */
  readonly throwIfStopped: () => void;
}

/** Milliseconds between two requests to a remote service. */
const gap = 250;

/** Requests in a row without a response after which the service is given up. */
const maxLost = 3;

const limitHeader = /^(?:x-)?rate-?limit/;

/** Creates a session, whose requests are sent one after the other. @param maxReads maximum number of GET requests */
export function createSession(target: ProbeTarget, maxReads: number): Session {
  const counts: Record<string, number> = {};
  const headers = new Set<string>();
  let wasLimited = false;
  let lostInARow = 0;
  /** Why nothing more is sent. */
  let ended: string | undefined;

  const throwIfStopped = (): void => {
    if (!target.stop.aborted) return;
    const isTerm = target.stop.reason === "SIGTERM";
    throw new SendctlError(
      isTerm ? "terminated" : "cancelled",
      isTerm ? "Terminated" : "Cancelled",
    );
  };

  /** Returns why another attempt may not be sent. */
  const refusalOf = (method: string, isCleanup: boolean): string | undefined => {
    if (isCleanup) return target.abandon.aborted ? "interrupted" : undefined;
    throwIfStopped();
    if (ended !== undefined || method !== "GET" || (counts["GET"] ?? 0) < maxReads) return ended;
    return `the limit of ${maxReads} GET requests was reached`;
  };

  const before = async ({ method }: Request, isCleanup: boolean): Promise<void> => {
    if (target.isHttp && Object.keys(counts).length > 0) {
      await target.sleep(gap, isCleanup ? target.abandon : target.stop);
    }
    const why = refusalOf(method, isCleanup);
    if (why !== undefined) throw new SendctlError("unavailable", why);
    counts[method] = (counts[method] ?? 0) + 1;
  };

  const after = (response: ProbeResponse | undefined): void => {
    lostInARow = response === undefined ? lostInARow + 1 : 0;
    if (lostInARow >= maxLost) ended ??= "the service stopped responding";
    for (const name of Object.keys(response?.headers ?? {})) {
      if (limitHeader.test(name)) headers.add(name);
    }
    wasLimited ||= response?.status === 429;
  };

  const perform = async (request: Request, key: ProbeKey, isCleanup: boolean): Promise<Outcome> => {
    const why = refusalOf(request.method, isCleanup);
    if (why !== undefined) return { kind: "missing", why, mayBeDone: false };
    const ending = request.method === "GET" ? target.stop : target.settle;
    const sent = counts[request.method];
    const sending: Sending = {
      key,
      signal: isCleanup ? target.abandon : ending,
      before: () => before(request, isCleanup),
      after,
    };
    const response = await target.send(request, sending).catch((error: unknown): NoResponse => {
      // A signal ended it. What was sent may be done, and the cleanup reports what it leaves.
      const unsent = counts[request.method] === sent;
      const isWrite = request.method !== "GET" && !unsent;
      if (!(error instanceof SendctlError) || !(isCleanup || isWrite)) throw error;
      return { lost: "interrupted", unsent };
    });
    if ("lost" in response || response.status !== 429) return outcomeOf(response);
    ended = "the service keeps limiting requests (HTTP 429)";
    return { kind: "missing", why: ended, mayBeDone: false };
  };

  const requests = (isCleanup: boolean): Requests => ({
    get: (path, key = "own") => perform({ method: "GET", path, body: undefined }, key, isCleanup),
    write: (method, path, body) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      return perform({ method, path, body: text }, "own", isCleanup);
    },
    pause: async (milliseconds) => {
      if (target.isHttp) await target.sleep(milliseconds, isCleanup ? target.abandon : target.stop);
    },
  });

  return {
    ...requests(false),
    cleanup: requests(true),
    counts: () => ({ ...counts }),
    limits: () => ({ headers: [...headers], wasLimited }),
    throwIfStopped,
  };
}
