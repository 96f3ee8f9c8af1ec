import type { OperationName } from "./operations.ts";

/** Kinds of invalid response bodies. */
export const wrongBodies = ["html", "empty", "truncated", "not-json", "wrong-shape"] as const;
export type WrongBody = (typeof wrongBodies)[number];

/** When to drop a connection: before the operation, in the middle of the response, or after the operation. */
export const drops = ["before", "during", "after"] as const;
export type Drop = (typeof drops)[number];

/** A fault that `serve --fault` injects into matching requests. It is deterministic. */
export interface InjectedFault {
  readonly operations: ReadonlySet<OperationName>;
  /** HTTP status to respond with instead of running the operation. */
  readonly status?: number;
  /** Retry-After of that response, in seconds. */
  readonly retryAfter?: number;
  /** Delay of the response or the drop, in milliseconds. */
  readonly latency?: number;
  readonly drop?: Drop;
  readonly body?: WrongBody;
  /** Number of matching requests to pass first. */
  readonly skip: number;
  /** Injects into every nth request after those. */
  readonly every: number;
  /** Maximum number of injections; Infinity for no limit. */
  readonly times: number;
  /** The fault as written on the command line. */
  readonly text: string;
}
