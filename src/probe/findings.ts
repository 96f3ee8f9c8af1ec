import {
  ownBehaviour,
  isAllowed,
  switches,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
} from "../contract/behaviour.ts";
import { jsonText } from "../core/json-text.ts";

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
  readonly observed: SwitchValue;
  /** How it was found out, or why it is unknown. */
  readonly how: string;
}

/** A value, which is shown as text if the switch does not have it; behaviour that no value describes; or why it is unknown. */
export type Verdict =
  | { readonly value: unknown }
  | { readonly odd: string }
  | { readonly unknown: string };

export type Verdicts = { readonly [Name in SwitchName]?: Verdict };

/** Returns the verdict on something that responses leave open. */
export function ambiguous(why: string): Verdict {
  return { unknown: `ambiguous: ${why}` };
}

/** Returns the verdict on something that no request can show. */
export function hidden(why: string): Verdict {
  return { unknown: `not observable: ${why}` };
}

export interface Findings {
  readonly put: (name: SwitchName, verdict: Verdict, how: string) => void;
  readonly valueOf: (name: SwitchName) => SwitchValue | undefined;
  readonly isOpen: (name: SwitchName) => boolean;
  /** Returns all findings in the order of the switches, which is that of their rulings. */
  readonly all: () => readonly Finding[];
  /** Returns the switches whose values are known. */
  readonly behaviour: () => PartialBehaviour;
}

export function createFindings(): Findings {
  const known = new Map<SwitchName, Finding>();
  const values = new Map<SwitchName, SwitchValue>();
  return {
    put: (name, verdict, how) => {
      const { ruling: number, about: topic } = switches[name];
      const engine = ownBehaviour[name];
      const of = { number, switch: name, topic, engine };
      values.delete(name);
      if ("unknown" in verdict) {
        known.set(name, { ...of, verdict: "unknown", observed: null, how: verdict.unknown });
      } else if ("value" in verdict && isAllowed(name, verdict.value)) {
        const { value } = verdict;
        values.set(name, value);
        const isSame = value === engine;
        known.set(name, { ...of, verdict: isSame ? "same" : "differs", observed: value, how });
      } else {
        const observed = "odd" in verdict ? verdict.odd : shortText(verdict.value);
        known.set(name, { ...of, verdict: "differs", observed, how });
      }
    },
    valueOf: (name) => values.get(name),
    isOpen: (name) => !known.has(name),
    all: () => switchNames.flatMap((name) => known.get(name) ?? []),
    behaviour: () => Object.fromEntries(values),
  };
}

const maxLength = 60;

/** Returns any value of a response as short text. */
export function shortText(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = jsonText(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
