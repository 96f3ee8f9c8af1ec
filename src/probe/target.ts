import type { Request } from "../contract/request.ts";

/** The key of a request: the configured one, none, or a random one that no service knows. */
export type ProbeKey = "own" | "none" | "unknown";

/** A response, whatever it is. */
export interface ProbeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** Milliseconds to wait that the response asks for. */
  readonly wait?: number | undefined;
}

/** A request without a response. */
export interface NoResponse {
  /** One line. */
  readonly lost: string;
  readonly hint?: string | undefined;
  /** Whether the service certainly saw nothing. */
  readonly unsent: boolean;
}

/** The service to probe, and what the probe needs of its surroundings. */
export interface ProbeTarget {
  /** Host and port, for messages. */
  readonly name: string;
  /** False for the engine in this process, which has no keys, headers or connections. */
  readonly isHttp: boolean;
  /** Sends a request once. Never throws for a response, whatever it is, or for the lack of one. */
  readonly send: (
    request: Request,
    key: ProbeKey,
    signal: AbortSignal,
  ) => Promise<ProbeResponse | NoResponse>;
  /** Aborted by the first signal, with its name as the reason: the probe ends, and deletes what it created. */
  readonly stop: AbortSignal;
  /** Aborted by the second signal: what was created is reported instead. */
  readonly abandon: AbortSignal;
  /** Resolves after `milliseconds`; rejects when the signal aborts it. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Returns random hexadecimal digits. */
  readonly hex: (digits: number) => string;
}
