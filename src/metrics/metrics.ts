import { collectDefaultMetrics, Registry, type Metric } from "prom-client";
import { familiesOf, type Family, type MetricSources } from "./families.ts";

export interface Metrics {
  readonly contentType: string;
  /** Returns all metrics in the text format of Prometheus. Concurrent calls share one result. */
  readonly text: () => Promise<string>;
}

/** Creates the metrics of a server, with those of its process. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  for (const family of familiesOf(sources)) registry.registerMetric(metricOf(family));
  collectDefaultMetrics({ register: registry });
  let current: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    text: () =>
      (current ??= textOf(registry).finally(() => {
        current = undefined;
      })),
  };
}

/** Returns all metrics. prom-client writes "Nan" for a measurement without values, which is not in the format. */
async function textOf(registry: Registry): Promise<string> {
  return (await registry.metrics()).replaceAll(/ Nan$/gm, " NaN");
}

/**
 * Returns a metric that the registry reads at each scrape. The classes of prom-client would keep the values, and
 * counting in them costs a request more than it does in plain objects.
 */
function metricOf({ name, help, type, samples }: Family): Metric {
  const get = async () => ({ name, help, type, values: samples(), aggregator: "sum" });
  return { name, get } as unknown as Metric;
}
