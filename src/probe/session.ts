import { SendctlError, stoppedBy } from "../core/error.ts";
import type { Request } from "../contract/request.ts";
import { outcomeOf, type NoResponse, type Outcome, type ProbeResponse } from "./outcome.ts";

/** How a request is sent. */
export interface Sending {
  /** Aborts an attempt. */
  readonly signal: AbortSignal;
  /** Ends the wait for another attempt. */
  readonly stop: AbortSignal;
  /** Called before each attempt. What it throws ends the request. */
  readonly before: () => Promise<void>;
  /** Called after each attempt. @param status undefined if no response arrived */
  readonly after: (status: number | undefined) => void;
}

/** The service to probe, and what the probe needs of its process. */
export interface ProbeTarget {
  /** Host and port, for messages. */
  readonly name: string;
  /** How to set the key, for a service that rejects it. */
  readonly keyHint?: string | undefined;
  /** Sends a request, and repeats it as the client does: never if it could do something twice. */
  readonly send: (request: Request, sending: Sending) => Promise<ProbeResponse | NoResponse>;
  /** Aborted by the first signal, with its name as the reason: the probe ends, and deletes what it created. */
  readonly stop: AbortSignal;
  /** Aborted by the second signal, which ends a write in flight, and the cleanup: what was created is reported instead. */
  readonly abandon: AbortSignal;
  /** Resolves after `milliseconds`, or when the signal aborts it. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Returns random hexadecimal digits. */
  readonly hex: (digits: number) => string;
}

export type Session = ReturnType<typeof createSession>;

/** Sends requests. */
export type Requests = Session["cleanup"];

/** Milliseconds between two requests to a remote service. */
const gap = 250;

/** Requests in a row without a response after which the service is given up. */
const maxLost = 3;

/** Creates a session, whose requests are sent one after the other. @param maxReads maximum number of GET requests */
export function createSession(target: ProbeTarget, maxReads: number) {
  const counts: Record<string, number> = {};
  let isLimited = false;
  let lostInARow = 0;
  /** Why nothing more is sent. */
  let ended: string | undefined;

  const throwIfStopped = (): void => {
    if (target.stop.aborted) throw stoppedBy(target.stop.reason);
  };

  const after = (status: number | undefined): void => {
    lostInARow = status === undefined ? lostInARow + 1 : 0;
    if (lostInARow >= maxLost) ended ??= "the service stopped responding";
  };

  const requests = (isCleanup: boolean) => {
    const stop = isCleanup ? target.abandon : target.stop;

    /** Returns why another attempt may not be sent. */
    const refusalOf = (method: string): string | undefined => {
      if (isCleanup) return target.abandon.aborted ? "interrupted" : undefined;
      throwIfStopped();
      if (ended !== undefined || method !== "GET" || (counts["GET"] ?? 0) < maxReads) return ended;
      return `the limit of ${maxReads} GET requests was reached`;
    };

    const before = async ({ method }: Request): Promise<void> => {
      if (Object.keys(counts).length > 0) await target.sleep(gap, stop);
      const why = refusalOf(method);
      if (why !== undefined) throw new SendctlError("unavailable", why);
      counts[method] = (counts[method] ?? 0) + 1;
    };

    const perform = async (request: Request): Promise<Outcome> => {
      const { method } = request;
      const why = refusalOf(method);
      if (why !== undefined) return { kind: "missing", why, mayBeDone: false };
      const isWrite = method !== "GET";
      const sent = counts[method];
      // A write goes on after the first signal, so that its record is known.
      const signal = isWrite ? target.abandon : stop;
      const sending: Sending = { signal, stop, before: () => before(request), after };
      const response = await target.send(request, sending).catch((error: unknown): NoResponse => {
        // A signal ended it. What was sent may be done, and the cleanup reports what it leaves.
        const unsent = counts[method] === sent;
        const isKept = isCleanup || (isWrite && !unsent);
        if (!(error instanceof SendctlError) || !isKept) throw error;
        return { lost: "interrupted", unsent };
      });
      if ("lost" in response || response.status !== 429) return outcomeOf(response);
      isLimited = true;
      ended = `${target.name} keeps rejecting requests (HTTP 429)`;
      return { kind: "missing", why: ended, mayBeDone: false };
    };

    return {
      get: (path: string) => perform({ method: "GET", path, body: undefined }),
      write: (method: "POST" | "PUT" | "DELETE", path: string, body?: object) =>
        perform({ method, path, body: body && JSON.stringify(body) }),
      /** Waits before something is looked up again. */
      pause: (milliseconds: number): Promise<void> => target.sleep(milliseconds, stop),
    };
  };

  return {
    ...requests(false),
    /** For deleting what was created: goes on after a signal and has no limit of requests. */
    cleanup: requests(true),
    /** Number of requests sent, by method. */
    counts,
    /** Whether the service refused requests because of a rate limit. */
    isLimited: (): boolean => isLimited,
    /** @throws SendctlError "cancelled" or "terminated" after a signal */
    throwIfStopped,
  };
}
