import {
  ownBehaviour,
  isAllowed,
  switchNames,
  switches,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
} from "../contract/behaviour.ts";
import { jsonText } from "../core/json-text.ts";
import { cut, safeText } from "../core/text.ts";

/** What was found out about one switch. */
export interface Finding {
  /** Number of its ruling. */
  readonly number: number;
  /** The switch of a behaviour file. */
  readonly switch: SwitchName;
  readonly topic: string;
  readonly verdict: "same" | "differs" | "unknown";
  readonly engine: SwitchValue;
  /** What the service does: the value of the switch, or a text if no value describes it; null if unknown. */
  readonly observed: SwitchValue | null;
  /** Why it is unknown; null otherwise. */
  readonly reason: string | null;
}

/** What a service does, which is shown as text if the switch does not have this value; or why it is unknown. */
export type Verdict = { readonly value: unknown } | { readonly unknown: string };

export type Verdicts = { readonly [Name in SwitchName]?: Verdict };

/** Returns the verdict on something that responses leave open. */
export function ambiguous(why: string): Verdict {
  return { unknown: `ambiguous: ${why}` };
}

/** Returns the verdict on something that no request can show. */
export function hidden(why: string): Verdict {
  return { unknown: `not observable: ${why}` };
}

/** Returns the verdict on something that was seen several times: its value, or a text with all of its values. */
export function allOf(values: Iterable<unknown>): Verdict {
  const seen = [...new Set(values)];
  if (seen.length === 0) return { unknown: "no response to such a request arrived" };
  return { value: seen.length === 1 ? seen[0] : seen.join(" or ") };
}

export type Findings = ReturnType<typeof createFindings>;

export function createFindings() {
  const known = new Map<SwitchName, Verdict>();

  const valueOf = (name: SwitchName): SwitchValue | undefined => {
    const verdict = known.get(name);
    if (verdict === undefined || "unknown" in verdict) return undefined;
    return isAllowed(name, verdict.value) ? verdict.value : undefined;
  };

  const findingOf = (name: SwitchName, verdict: Verdict): Finding => {
    const { ruling: number, about: topic } = switches[name];
    const engine = ownBehaviour[name];
    const of = { number, switch: name, topic, engine };
    if ("unknown" in verdict) {
      return { ...of, verdict: "unknown", observed: null, reason: safeText(verdict.unknown) };
    }
    const value = valueOf(name);
    const observed = value === undefined ? safeText(shortText(verdict.value)) : value;
    return { ...of, verdict: value === engine ? "same" : "differs", observed, reason: null };
  };

  return {
    /** Records verdicts; a later one replaces an earlier one. */
    put: (verdicts: Verdicts): void => {
      for (const name of switchNames) if (verdicts[name]) known.set(name, verdicts[name]);
    },
    valueOf,
    isOpen: (name: SwitchName): boolean => !known.has(name),
    /** Returns all findings in the order of the switches, which is that of their rulings. */
    all: (): readonly Finding[] =>
      switchNames.flatMap((name) => {
        const verdict = known.get(name);
        return verdict === undefined ? [] : findingOf(name, verdict);
      }),
    /** Returns the switches whose values are known. */
    behaviour: (): PartialBehaviour => {
      const found = switchNames.map((name) => [name, valueOf(name)] as const);
      return Object.fromEntries(found.filter(([, value]) => value !== undefined));
    },
  };
}

const maxLength = 80;

/** Returns any value as short text. */
export function shortText(value: unknown): string {
  if (value === undefined) return "nothing";
  return cut(typeof value === "string" ? value : jsonText(value), maxLength);
}
