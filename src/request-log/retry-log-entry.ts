/** A repetition of database statements, after a failure that changed nothing. */
export interface RetryLogEntry {
  readonly work: "read" | "write";
  /** Number of requests that wait for it. */
  readonly requests: number;
  readonly code: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Milliseconds since the first attempt began. */
  readonly waited: number;
}
