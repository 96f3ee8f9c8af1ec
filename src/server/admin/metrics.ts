import { monitorEventLoopDelay } from "node:perf_hooks";
import { cpuUsage, memoryUsage, uptime, version } from "node:process";
import type { PoolState } from "../../engine/store/store.ts";
import type { RequestLogEntry } from "../request-log.ts";

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
  /** Undefined for a database without connections. */
  readonly pool: (() => PoolState) | undefined;
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
function ownFamilies({ version, requests, pool, load }: MetricSources): readonly Family[] {
  const { statuses, durations, unavailable } = requests;
  const outcomesHelp =
    "Writes whose outcome is unknown because the connection to the database was lost.";
  const families: Family[] = [
    gauge("sendctl_build_info", "Always 1; the label has the version.", () => [[{ version }, 1]]),
    counter("sendctl_http_requests_total", "Responses by operation and status.", () =>
      [...statuses].flatMap(([operation, counts]) =>
        [...counts].map(([status, value]) => [{ operation, status }, value] as const),
      ),
    ),
    histogram(
      "sendctl_http_request_duration_seconds",
      "Time from the end of the headers of a request to the end of its response.",
      () => [...durations].map(([operation, tally]) => [{ operation }, tally] as const),
    ),
    gauge(
      "sendctl_http_requests_in_flight",
      "Requests currently using the database.",
      () => load().inFlight,
    ),
    gauge("sendctl_http_connections", "Open connections of clients.", () => load().connections),
    counter("sendctl_unavailable_total", "Responses with status 503 by cause.", () =>
      Object.entries(unavailable).map(([cause, value]) => [{ cause }, value] as const),
    ),
    counter("sendctl_unknown_outcomes_total", outcomesHelp, () => requests.unknownOutcomes),
  ];
  if (pool === undefined) return families;
  const connections = (): Values => {
    const { inUse, idle } = pool();
    return [
      [{ state: "in_use" }, inUse],
      [{ state: "idle" }, idle],
    ];
  };
  const waitingHelp = "Statements waiting for a connection to PostgreSQL.";
  return [
    ...families,
    gauge("sendctl_database_connections", "Open connections to PostgreSQL by state.", connections),
    gauge("sendctl_database_waiting", waitingHelp, () => pool().waiting),
  ];
}

/** A histogram: numbers of values by size, and their sum. */
interface Histogram {
  /** Number of values by bound; the last is for values above all bounds. A value that equals a bound is below it. */
  readonly counts: number[];
  sum: number;
}

/** Upper bounds of a histogram in seconds, ascending. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function createHistogram(): Histogram {
  return { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
}

/** Adds a value to a histogram. */
function observe(histogram: Histogram, value: number): void {
  let index = 0;
  while (index < bounds.length && value > bounds[index]!) index += 1;
  histogram.counts[index]! += 1;
  histogram.sum += value;
}

type Labels = Readonly<Record<string, string | number>>;

/** The values of a metric by their labels; one value if it has none. A histogram has tallies. */
type Values = number | readonly (readonly [labels: Labels, value: number | Histogram])[];

/** A metric. */
interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  readonly help: string;
  readonly values: () => Values;
}

function familyOf(type: Family["type"]) {
  return (name: string, help: string, values: () => Values): Family => ({
    type,
    name,
    help,
    values,
  });
}

const counter = familyOf("counter");
const gauge = familyOf("gauge");
const histogram = familyOf("histogram");

/** Returns a metric in the text format of Prometheus. */
function familyText({ type, name, help, values }: Family): string {
  const found = values();
  const all = typeof found === "number" ? [[{}, found] as const] : found;
  const lines = all.flatMap(([labels, value]) =>
    typeof value === "number" ? lineOf(name, labels, value) : tallyLines(name, labels, value),
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function tallyLines(name: string, labels: Labels, { counts, sum }: Histogram): string[] {
  let count = 0;
  const buckets = counts.map((own, index) => {
    count += own;
    return lineOf(`${name}_bucket`, { ...labels, le: bounds[index] ?? "+Inf" }, count);
  });
  return [...buckets, lineOf(`${name}_sum`, labels, sum), lineOf(`${name}_count`, labels, count)];
}

function lineOf(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, given]) => {
    const text = String(given)
      .replace(/[\\"]/g, String.raw`\$&`)
      .replaceAll("\n", String.raw`\n`);
    return `${label}="${text}"`;
  });
  const labelText = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return `${name}${labelText} ${String(value).replace("Infinity", "Inf")}\n`;
}

/** Returns the metrics of this process, with the names that clients of Prometheus for Node use. */
function processFamilies(): readonly Family[] {
  const startedAt = Math.round(Date.now() / 1000 - uptime());
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return [
    counter("process_cpu_seconds_total", "CPU time in seconds.", cpuSeconds),
    gauge("process_start_time_seconds", "Start time in seconds since 1970.", () => startedAt),
    gauge("process_resident_memory_bytes", "Resident memory.", () => memoryUsage().rss),
    lag("max", () => delay.max),
    lag("p99", () => {
      const value = delay.percentile(99);
      // The last of them ends the measurement.
      delay.reset();
      return value;
    }),
    gauge("nodejs_heap_size_total_bytes", "Size of the heap.", () => memoryUsage().heapTotal),
    gauge("nodejs_heap_size_used_bytes", "Used heap.", () => memoryUsage().heapUsed),
    gauge("nodejs_external_memory_bytes", "External memory.", () => memoryUsage().external),
    gauge("nodejs_version_info", "Always 1; the label has the version.", () => [[{ version }, 1]]),
  ];
}

function cpuSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}

/** Returns a statistic of the delay of the event loop. @param nanoseconds its value */
function lag(name: string, nanoseconds: () => number): Family {
  const help = `Delay of the event loop since the last scrape: ${name}.`;
  return gauge(`nodejs_eventloop_lag_${name}_seconds`, help, () => nanoseconds() / 1e9);
}

/** One served request, without its path and its key. */
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
  readonly durations: Map<string, Histogram>;
  /** Numbers of 503 by cause. */
  readonly unavailable: Record<UnavailableCause, number>;
  unknownOutcomes: number;
}

/** Creates empty counts. */
export function createRequestCounts(): RequestCounts {
  const unavailable = { overloaded: 0, database: 0, stopping: 0, not_ready: 0, injected: 0 };
  return { statuses: new Map(), durations: new Map(), unavailable, unknownOutcomes: 0 };
}

/** Adds a request to the counts. */
export function countRequest(counts: RequestCounts, request: CountedRequest): void {
  const { operation = "none", milliseconds, failure } = request;
  const status = request.status ?? "none";
  let statuses = counts.statuses.get(operation);
  let durations = counts.durations.get(operation);
  if (statuses === undefined || durations === undefined) {
    counts.statuses.set(operation, (statuses = new Map()));
    counts.durations.set(operation, (durations = createHistogram()));
  }
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  observe(durations, milliseconds / 1000);
  if (status === 503) counts.unavailable[causeOf(request)] += 1;
  if (failure?.cause === "outcome_unknown") counts.unknownOutcomes += 1;
}

/** Returns the cause of a 503: the problems of the database, which the log names, are one. */
function causeOf({ fault, failure }: CountedRequest): UnavailableCause {
  if (fault !== undefined) return "injected";
  return causes.find((cause) => cause === failure?.cause) ?? "database";
}
