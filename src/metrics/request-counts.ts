import { countIn, createTally, secondsBounds, type Tally } from "../contract/activity.ts";
import type { RequestLogEntry } from "../contract/served-request.ts";

/** One served request, as far as metrics show it: neither its path nor its key. */
type CountedRequest = Pick<
  RequestLogEntry,
  "operation" | "status" | "milliseconds" | "fault" | "failure"
>;

/** The causes of status 503. */
const causes = ["overloaded", "database", "stopping", "not_ready", "injected"] as const;

type UnavailableCause = (typeof causes)[number];

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
  const unavailable = { overloaded: 0, database: 0, stopping: 0, not_ready: 0, injected: 0 };
  return { statuses: new Map(), durations: new Map(), unavailable, unknownOutcomes: 0 };
}

/** Counts a request. */
export function countRequest(counts: RequestCounts, request: CountedRequest): void {
  const { operation = "none", milliseconds, failure } = request;
  const status = request.status ?? "none";
  let statuses = counts.statuses.get(operation);
  let durations = counts.durations.get(operation);
  if (statuses === undefined || durations === undefined) {
    counts.statuses.set(operation, (statuses = new Map()));
    counts.durations.set(operation, (durations = createTally(secondsBounds)));
  }
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  countIn(durations, milliseconds / 1000);
  if (status === 503) counts.unavailable[causeOf(request)] += 1;
  if (failure?.cause === "outcome_unknown") counts.unknownOutcomes += 1;
}

/** Returns the cause of a 503: the problems of the database, which the log names, are one. */
function causeOf({ fault, failure }: CountedRequest): UnavailableCause {
  if (fault !== undefined) return "injected";
  return causes.find((cause) => cause === failure?.cause) ?? "database";
}
