import { isDeepStrictEqual } from "node:util";

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly MetricSample[];
}

interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const nameForm = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const numberForm = String.raw`[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN`;
const sampleForm = new RegExp(String.raw`^(${nameForm})(?:\{(.*)\})? (${numberForm})$`);
const labelForm = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/**
 * Parses the text format of Prometheus, version 0.0.4: of each metric HELP, TYPE and samples, in one block. Histograms
 * must be complete and cumulative.
 *
 * @throws Error with the first line that is invalid
 */
export function parseMetrics(text: string): readonly MetricFamily[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families: { name: string; type: string; samples: MetricSample[] }[] = [];
  const series = new Set<string>();
  let help: string | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const fail = (why: string): Error => new Error(`${why}: ${line}`);
    if (line === "") continue;
    const [, helpName] = new RegExp(String.raw`^# HELP (${nameForm}) \S.*$`).exec(line) ?? [];
    const [, typeName, type = ""] =
      new RegExp(`^# TYPE (${nameForm}) (counter|gauge|histogram|summary|untyped)$`).exec(line) ??
      [];
    if (helpName !== undefined) help = helpName;
    else if (typeName !== undefined) {
      if (typeName !== help) throw fail("TYPE without HELP");
      if (families.some(({ name }) => name === typeName)) throw fail("a second block");
      families.push({ name: typeName, type, samples: [] });
    } else {
      const [, name, labels = "", value] = sampleForm.exec(line) ?? [];
      const family = families.at(-1);
      if (name === undefined || family === undefined) throw fail("neither a comment nor a sample");
      const suffixes = family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      if (!suffixes.some((suffix) => name === family.name + suffix)) throw fail("another metric");
      if (series.has(`${name}{${labels}}`)) throw fail("a second sample of a series");
      series.add(`${name}{${labels}}`);
      const sample = { name, labels: parseLabels(labels, fail), value: numberOf(value!) };
      if (family.type === "counter" && !(sample.value >= 0)) throw fail("a negative counter");
      family.samples.push(sample);
    }
  }
  for (const family of families) if (family.type === "histogram") checkHistogram(family);
  return families;
}

function numberOf(text: string): number {
  return Number(text.replace("Inf", "Infinity"));
}

function parseLabels(text: string, fail: (why: string) => Error): Record<string, string> {
  const labels: Record<string, string> = {};
  labelForm.lastIndex = 0;
  for (let at = 0; at < text.length; at = labelForm.lastIndex) {
    const [, name, value] = labelForm.exec(text) ?? [];
    if (name === undefined || value === undefined) throw fail("invalid labels");
    if (name in labels) throw fail("a second label of a name");
    labels[name] = value;
  }
  return labels;
}

function isAscending(list: readonly number[]): boolean {
  return list.every((one, index) => index === 0 || list[index - 1]! <= one);
}

function checkHistogram({ name, samples }: MetricFamily): void {
  const counts = samples.filter((one) => one.name === `${name}_count`);
  const sums = samples.filter((one) => one.name === `${name}_sum`);
  if (counts.length !== sums.length) throw new Error(`${name}: counts without sums`);
  for (const { labels, value } of counts) {
    const buckets = samples.filter((one) => one.name === `${name}_bucket`);
    const own = buckets.filter((one) =>
      isDeepStrictEqual(one.labels, { ...labels, le: one.labels["le"] }),
    );
    const bounds = own.map((one) => numberOf(one.labels["le"] ?? ""));
    const values = own.map((one) => one.value);
    const isComplete = bounds.at(-1) === Infinity && values.at(-1) === value;
    if (isAscending(bounds) && isAscending(values) && isComplete) continue;
    throw new Error(`${name}: invalid buckets of ${JSON.stringify(labels)}`);
  }
}

/** Returns the value of one sample. @throws Error if it does not exist */
export function metricValue(
  families: readonly MetricFamily[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const found = families
    .flatMap(({ samples }) => samples)
    .find((one) => one.name === name && isDeepStrictEqual(one.labels, labels));
  if (found === undefined) throw new Error(`no sample ${name} ${JSON.stringify(labels)}`);
  return found.value;
}
