import type { Request } from "../contract/request.ts";

/** The key of a request: the configured one, none, or a random one that no service knows. */
export type ProbeKey = "own" | "none" | "unknown";

/** A response, whatever it is. */
export interface ProbeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** A request without a response. */
export interface NoResponse {
  /** One line. */
  readonly lost: string;
  readonly hint?: string | undefined;
  /** Whether the service certainly saw nothing. */
  readonly unsent: boolean;
}

/** How a request is sent. */
export interface Sending {
  readonly key: ProbeKey;
  /** Aborts attempts and waits. */
  readonly signal: AbortSignal;
  /** Called before each attempt. What it throws ends the request. */
  readonly before: () => Promise<void>;
  /** Called after each attempt. @param response undefined if none arrived */
  readonly after: (response: ProbeResponse | undefined) => void;
}

/** The service to probe, and what the probe needs of its surroundings. */
export interface ProbeTarget {
  /** Host and port, for messages. */
  readonly name: string;
  /** How to set the key, for a service that rejects it. */
  readonly keyHint?: string | undefined;
  /** False for the engine in this process, which has no keys, headers or connections. */
  readonly isHttp: boolean;
  /** Sends a request, and repeats it as the client does: never if it could do something twice. */
  readonly send: (request: Request, sending: Sending) => Promise<ProbeResponse | NoResponse>;
  /** Aborted by the first signal, with its name as the reason: the probe ends, and deletes what it created. */
  readonly stop: AbortSignal;
  /** Aborted some seconds after the first signal: until then a write may go on, so that its record is known. */
  readonly settle: AbortSignal;
  /** Aborted by the second signal: what was created is reported instead. */
  readonly abandon: AbortSignal;
  /** Resolves after `milliseconds`, or when the signal aborts it. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Returns random hexadecimal digits. */
  readonly hex: (digits: number) => string;
}
