import type { StoreActivity } from "../contract/activity.ts";
import { familyText, type Family } from "./family.ts";
import { processFamilies } from "./process-families.ts";
import type { RequestCounts } from "./request-counts.ts";

export interface Metrics {
  readonly contentType: string;
  /** Returns all metrics in the text format of Prometheus. */
  readonly text: () => string;
}

/** What the metrics of a server are made of. */
interface MetricSources {
  /** The version of sendctl. */
  readonly version: string;
  readonly requests: RequestCounts;
  readonly activity: StoreActivity;
  /** Returns the current load of the server. */
  readonly load: () => { readonly connections: number; readonly inFlight: number };
}

/** Creates the metrics of a server, with those of its process. */
export function createMetrics(sources: MetricSources): Metrics {
  const families = [...ownFamilies(sources), ...processFamilies()];
  return {
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    text: () => families.map(familyText).join("\n"),
  };
}

/** Returns the metrics of sendctl itself: docs/deploy.md describes them. */
function ownFamilies({ version, requests, activity, load }: MetricSources): readonly Family[] {
  const { pool, batches, lockWaits } = activity;
  const families: Family[] = [
    [
      "gauge",
      "sendctl_build_info",
      "Always 1; the label has the version.",
      () => [[{ version }, 1]],
    ],
    [
      "counter",
      "sendctl_http_requests_total",
      "Responses by operation and status.",
      () =>
        [...requests.statuses].flatMap(([operation, statuses]) =>
          [...statuses].map(([status, value]) => [{ operation, status }, value] as const),
        ),
    ],
    [
      "histogram",
      "sendctl_http_request_duration_seconds",
      "Time from the end of the headers of a request to the end of its response.",
      () => [...requests.durations].map(([operation, tally]) => [{ operation }, tally] as const),
    ],
    [
      "gauge",
      "sendctl_http_requests_in_flight",
      "Requests that use the database now.",
      () => load().inFlight,
    ],
    ["gauge", "sendctl_http_connections", "Open connections of clients.", () => load().connections],
    [
      "counter",
      "sendctl_unavailable_total",
      "Responses with status 503 by cause.",
      () =>
        Object.entries(requests.unavailable).map(([cause, value]) => [{ cause }, value] as const),
    ],
    [
      "counter",
      "sendctl_unknown_outcomes_total",
      "Writes whose outcome is unknown because the connection to the database was lost.",
      () => requests.unknownOutcomes,
    ],
    ["histogram", "sendctl_write_batch_size", "Writes in one transaction.", () => [[{}, batches]]],
    [
      "histogram",
      "sendctl_write_lock_wait_seconds",
      "Wait of a transaction for the lock of writers.",
      () => [[{}, lockWaits]],
    ],
  ];
  if (pool === undefined) return families;
  return [
    ...families,
    [
      "gauge",
      "sendctl_database_connections",
      "Open connections to PostgreSQL by state.",
      () => {
        const { inUse, idle } = pool();
        return [
          [{ state: "in_use" }, inUse],
          [{ state: "idle" }, idle],
        ];
      },
    ],
    [
      "gauge",
      "sendctl_database_waiting",
      "Statements that wait for a connection to PostgreSQL.",
      () => pool().waiting,
    ],
  ];
}
