import { readdirSync, readFileSync } from "node:fs";
import { constants, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { cpuUsage, memoryUsage, uptime, version } from "node:process";
import { countIn, createTally, secondsBounds, type Tally } from "../contract/activity.ts";
import type { Family } from "./family.ts";

interface Pause {
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

/** Kinds of garbage collection. */
const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** Returns the metrics of this process, with the names that clients of Prometheus for Node use. */
export function processFamilies(): readonly Family[] {
  const startedAt = Math.round(Date.now() / 1000 - uptime());
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const pauses = new Map<string, Tally>();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as unknown as Pause;
      const kind = kinds.get(detail.kind) ?? "other";
      const tally = pauses.get(kind) ?? createTally(secondsBounds);
      pauses.set(kind, tally);
      countIn(tally, duration / 1000);
    }
  }).observe({ entryTypes: ["gc"] });
  return [
    ["counter", "process_cpu_seconds_total", "CPU time in seconds.", cpuSeconds],
    ["gauge", "process_start_time_seconds", "Start in seconds since 1970.", () => startedAt],
    ["gauge", "process_resident_memory_bytes", "Resident memory.", () => memoryUsage().rss],
    ...openFiles(),
    lag("mean", () => delay.mean),
    lag("max", () => delay.max),
    lag("p50", () => delay.percentile(50)),
    lag("p90", () => delay.percentile(90)),
    lag("p99", () => {
      const value = delay.percentile(99);
      // The last of them ends the measurement.
      delay.reset();
      return value;
    }),
    ["gauge", "nodejs_heap_size_total_bytes", "Size of the heap.", () => memoryUsage().heapTotal],
    ["gauge", "nodejs_heap_size_used_bytes", "Used heap.", () => memoryUsage().heapUsed],
    ["gauge", "nodejs_external_memory_bytes", "External memory.", () => memoryUsage().external],
    [
      "gauge",
      "nodejs_version_info",
      "Always 1; the label has the version.",
      () => [[{ version }, 1]],
    ],
    [
      "histogram",
      "nodejs_gc_duration_seconds",
      "Pauses of the garbage collector by kind.",
      () => [...pauses].map(([kind, tally]) => [{ kind }, tally] as const),
    ],
  ];
}

function cpuSeconds(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1e6;
}

/** Returns a statistic of the delay of the event loop. @param nanoseconds its value */
function lag(name: string, nanoseconds: () => number): Family {
  const help = `Delay of the event loop since the last scrape: ${name}.`;
  return ["gauge", `nodejs_eventloop_lag_${name}_seconds`, help, () => nanoseconds() / 1e9];
}

function countOpenFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

/** Returns the metrics of open files, which only Linux shows. */
function openFiles(): readonly Family[] {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
    return [
      ["gauge", "process_open_fds", "Open files and connections.", countOpenFiles],
      ["gauge", "process_max_fds", "Limit for open files and connections.", () => most],
    ];
  } catch {
    return [];
  }
}
