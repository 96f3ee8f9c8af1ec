import type { OperationName } from "./operations.ts";

/** Bodies that are not the service's. */
export const wrongBodies = ["html", "empty", "truncated", "not-json", "wrong-shape"] as const;
export type WrongBody = (typeof wrongBodies)[number];

/** When a connection is dropped: the operation not carried out, half an answer sent, or no answer. */
export const drops = ["before", "during", "after"] as const;
export type Drop = (typeof drops)[number];

/** What goes wrong on purpose, with which requests, as `serve --fault` says it. Nothing is left to chance. */
export interface InjectedFault {
  readonly operations: ReadonlySet<OperationName>;
  /** Answered instead of carrying the operation out. */
  readonly status?: number;
  /** Seconds, said beside the status. */
  readonly retryAfter?: number;
  /** Milliseconds that the answer, or the drop, is held back. */
  readonly latency?: number;
  readonly drop?: Drop;
  readonly body?: WrongBody;
  /** So many matching requests pass first. */
  readonly skip: number;
  /** Of those that follow, it is every second, third and so on. */
  readonly every: number;
  /** And so many in all: Infinity for all of them. */
  readonly times: number;
  /** What goes wrong, as it was written. */
  readonly text: string;
}
