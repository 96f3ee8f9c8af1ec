import type { Retry } from "../../../contract/served-request.ts";

/** Passes the retries of one database on to one listener. */
export interface RetryReports {
  readonly report: (retry: Retry) => void;
  /** Replaces the listener. Retries without one are not reported. */
  readonly listen: (listener: (retry: Retry) => void) => void;
}

export function createRetryReports(): RetryReports {
  let listener: ((retry: Retry) => void) | undefined;
  return {
    report: (retry) => listener?.(retry),
    listen: (given) => void (listener = given),
  };
}
