import { familiesOf, type Family, type MetricSources } from "./families.ts";
import { processFamilies } from "./process-families.ts";

export interface Metrics {
  readonly contentType: string;
  /** Returns all metrics in the text format of Prometheus. */
  readonly text: () => string;
}

/** Creates the metrics of a server, with those of its process. */
export function createMetrics(sources: MetricSources): Metrics {
  const families = [...familiesOf(sources), ...processFamilies()];
  return {
    contentType: "text/plain; version=0.0.4; charset=utf-8",
    text: () => families.map(familyText).join("\n"),
  };
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples().map(
    ({ suffix = "", labels, value }) =>
      `${name}${suffix}${labelsText(labels)} ${String(value).replace("Infinity", "Inf")}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelsText(labels: Readonly<Record<string, string | number>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const text = String(value)
      .replace(/[\\"]/g, String.raw`\$&`)
      .replaceAll("\n", String.raw`\n`);
    return `${name}="${text}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
