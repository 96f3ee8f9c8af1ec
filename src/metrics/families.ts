import type { StoreActivity, Tally } from "../contract/activity.ts";
import type { RequestCounts } from "./request-counts.ts";

/** What the metrics of a server are made of. */
export interface MetricSources {
  /** The version of sendctl. */
  readonly version: string;
  readonly requests: RequestCounts;
  readonly activity: StoreActivity;
  /** Returns the current load of the server. */
  readonly load: () => { readonly connections: number; readonly inFlight: number };
}

type Labels = Readonly<Record<string, string | number>>;

/** One line of a metric. */
interface Sample {
  /** Appended to the name of the metric. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** A metric with all of its label values. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: () => readonly Sample[];
}

/** Returns the metrics of sendctl itself: docs/deploy.md describes them. */
export function familiesOf(sources: MetricSources): readonly Family[] {
  const { version, requests, activity, load } = sources;
  const { pool } = activity;
  const families: Family[] = [
    single("gauge", "sendctl_build_info", "Always 1; the label has the version.", () => 1, {
      version,
    }),
    {
      name: "sendctl_http_requests_total",
      help: "Responses by operation and status.",
      type: "counter",
      samples: () =>
        [...requests.statuses].flatMap(([operation, statuses]) =>
          [...statuses].map(([status, value]) => ({ labels: { operation, status }, value })),
        ),
    },
    histogram(
      "sendctl_http_request_duration_seconds",
      "Time from the end of the headers of a request to the end of its response.",
      () => [...requests.durations].map(([operation, tally]) => [{ operation }, tally]),
    ),
    single(
      "gauge",
      "sendctl_http_requests_in_flight",
      "Requests that use the database now.",
      () => load().inFlight,
    ),
    single(
      "gauge",
      "sendctl_http_connections",
      "Open connections of clients.",
      () => load().connections,
    ),
    {
      name: "sendctl_unavailable_total",
      help: "Responses with status 503 by cause.",
      type: "counter",
      samples: () =>
        Object.entries(requests.unavailable).map(([cause, value]) => ({
          labels: { cause },
          value,
        })),
    },
    single(
      "counter",
      "sendctl_unknown_outcomes_total",
      "Writes whose outcome is unknown because the connection to the database was lost.",
      () => requests.unknownOutcomes,
    ),
    histogram("sendctl_write_batch_size", "Writes in one transaction.", () => [
      [{}, activity.batches],
    ]),
    histogram(
      "sendctl_write_lock_wait_seconds",
      "Wait of a transaction for the lock of writers.",
      () => [[{}, activity.lockWaits]],
    ),
  ];
  if (pool === undefined) return families;
  return [
    ...families,
    {
      name: "sendctl_database_connections",
      help: "Open connections to PostgreSQL by state.",
      type: "gauge",
      samples: () => {
        const { inUse, idle } = pool();
        return [
          { labels: { state: "in_use" }, value: inUse },
          { labels: { state: "idle" }, value: idle },
        ];
      },
    },
    single(
      "gauge",
      "sendctl_database_waiting",
      "Statements that wait for a connection to PostgreSQL.",
      () => pool().waiting,
    ),
  ];
}

/** Returns a metric of one value. */
export function single(
  type: Family["type"],
  name: string,
  help: string,
  value: () => number,
  labels: Labels = {},
): Family {
  return { name, help, type, samples: () => [{ labels, value: value() }] };
}

export function histogram(
  name: string,
  help: string,
  tallies: () => readonly (readonly [Labels, Tally])[],
): Family {
  const samples = (): Sample[] => tallies().flatMap(([labels, tally]) => samplesOf(labels, tally));
  return { name, help, type: "histogram", samples };
}

function samplesOf(labels: Labels, { bounds, counts, sum }: Tally): Sample[] {
  let count = 0;
  const buckets = counts.map((own, index) => {
    count += own;
    const le = bounds[index] ?? "+Inf";
    return { suffix: "_bucket", labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { suffix: "_sum", labels, value: sum },
    { suffix: "_count", labels, value: count },
  ];
}
