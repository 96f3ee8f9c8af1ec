import type { Tally } from "../contract/activity.ts";

type Labels = Readonly<Record<string, string | number>>;

/** The values of a metric by their labels; one value if it has none. A histogram has tallies. */
type Values = number | readonly (readonly [labels: Labels, value: number | Tally])[];

/** A metric. */
export type Family = readonly [
  type: "counter" | "gauge" | "histogram",
  name: string,
  help: string,
  values: () => Values,
];

/** Returns a metric in the text format of Prometheus. */
export function familyText([type, name, help, values]: Family): string {
  const found = values();
  const all = typeof found === "number" ? [[{}, found] as const] : found;
  const lines = all.flatMap(([labels, value]) =>
    typeof value === "number" ? lineOf(name, labels, value) : tallyLines(name, labels, value),
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function tallyLines(name: string, labels: Labels, { bounds, counts, sum }: Tally): string[] {
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
  const shown = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
  return `${name}${shown} ${String(value).replace("Infinity", "Inf")}\n`;
}
