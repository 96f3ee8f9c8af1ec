import { jsonText } from "../../core/json-text.ts";
import type { SwitchValue } from "../../contract/behaviour.ts";
import { prepareToMeasure, wrapWords } from "../../output/table/display-width.ts";
import { safeText } from "../../core/safe-text.ts";
import type { Style } from "../../output/terminal.ts";
import type { Surface } from "../../output/table/table.ts";
import type { RecordView } from "../../output/views.ts";
import type { Finding } from "../../probe/findings.ts";
import type { ProbeResult } from "../../probe/probe.ts";

export const findingView: RecordView = {
  one: "ruling",
  many: "rulings",
  key: "number",
  toCreate: "sendctl probe",
  fields: {},
  columns: ["number", "switch", "topic", "verdict", "engine", "observed", "how"],
};

/** Returns the findings with text from the service made safe. */
export function shownFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) => {
    const { observed, how } = finding;
    const safe = typeof observed === "string" ? safeText(observed) : observed;
    return { ...finding, observed: safe, how: safeText(how) };
  });
}

export function summary({ findings, requests, limits }: ProbeResult): string {
  const count = (verdict: Finding["verdict"]): number =>
    findings.filter((finding) => finding.verdict === verdict).length;
  const sent = Object.entries(requests).map(([method, number]) => `${number} ${method}`);
  const verdicts = `${count("same")} same, ${count("differs")} different, ${count("unknown")} unknown`;
  const limited = limits.length === 0 ? "" : ` · rate limit: ${safeText(limits.join(", "))}`;
  return `${verdicts} · requests: ${sent.join(", ")}${limited}`;
}

const paints: Readonly<Record<Finding["verdict"], keyof Style>> = {
  same: "good",
  differs: "bad",
  unknown: "waiting",
};

const margin = " ".repeat("differs  28  ".length);

function valueText(value: SwitchValue): string {
  return typeof value === "string" && value !== "" ? value : jsonText(value);
}

/** Returns two lines per finding: its topic, and below it what the service does or why that is unknown. */
export async function findingsText(
  findings: readonly Finding[],
  { width, style }: Surface,
): Promise<string[]> {
  const details = findings.map(({ verdict, engine, observed, how }) => {
    if (verdict === "unknown") return how;
    if (verdict === "same") return valueText(observed);
    return `service: ${valueText(observed)} · engine: ${valueText(engine)}`;
  });
  await prepareToMeasure(details);
  const room = width === undefined ? Infinity : Math.max(20, width - margin.length);
  return findings.flatMap(({ verdict, number, topic }, index) => {
    const mark = style[paints[verdict]](verdict.padEnd(7));
    const [first = "", ...more] = wrapWords(topic, room);
    const below = [...more, ...wrapWords(details[index]!, room)];
    const head = `${mark}  ${String(number).padStart(2)}  ${first}\n`;
    return [head, ...below.map((line) => `${margin}${line}\n`)];
  });
}
