import { countIn, createTally, secondsBounds, type Tally } from "../contract/activity.ts";
import type { UnavailableCause } from "../contract/refusal.ts";

/** One served request, as far as metrics show it: neither its path nor its key. */
interface ServedRequest {
  /** Undefined if the request matched no operation. */
  readonly operation: string | undefined;
  /** Null if no response was sent. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly cause: UnavailableCause | undefined;
}

/** Counts of served requests. Plain objects, because counting is part of every request. */
export interface RequestCounts {
  /** Numbers of requests by status, by operation; "none" for requests without one. */
  readonly statuses: Map<string, Map<string | number, number>>;
  /** Durations in seconds by operation. */
  readonly durations: Map<string, Tally>;
  /** Numbers of 503 by cause. */
  readonly unavailable: Record<UnavailableCause, number>;
  unknownOutcomes: number;
}

/** Creates empty counts. */
export function createRequestCounts(): RequestCounts {
  const unavailable = { overloaded: 0, database: 0, shutting_down: 0, not_ready: 0, injected: 0 };
  return { statuses: new Map(), durations: new Map(), unavailable, unknownOutcomes: 0 };
}

/** Counts a request. */
export function countRequest(counts: RequestCounts, request: ServedRequest): void {
  const { operation = "none", milliseconds, cause } = request;
  const status = request.status ?? "none";
  let statuses = counts.statuses.get(operation);
  let durations = counts.durations.get(operation);
  if (statuses === undefined || durations === undefined) {
    counts.statuses.set(operation, (statuses = new Map()));
    counts.durations.set(operation, (durations = createTally(secondsBounds)));
  }
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  countIn(durations, milliseconds / 1000);
  if (cause !== undefined) counts.unavailable[cause] += 1;
}
