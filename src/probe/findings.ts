import { shortText } from "./short-text.ts";
import {
  defaultOf,
  isAllowed,
  switches,
  switchNames,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
} from "../contract/behaviour.ts";

/** What was found out about one ruling. */
export interface Finding {
  /** Number of the ruling. */
  readonly number: number;
  /** The switch of a behaviour file; absent if the ruling has none. */
  readonly switch?: SwitchName;
  readonly topic: string;
  readonly verdict: "same" | "differs" | "unknown";
  readonly engine: SwitchValue;
  /** What the service does: the value of the switch, or a text if no value describes it; null if unknown. */
  readonly observed: SwitchValue;
  /** How it was found out, or why it is unknown. */
  readonly how: string;
}

export interface Findings {
  /** Records the value of a switch. A value that the switch does not have is recorded as text. */
  readonly found: (name: SwitchName, value: unknown, how: string) => void;
  /** Records behaviour that no value of the switch describes. */
  readonly odd: (name: SwitchName, what: string, how: string) => void;
  readonly unknown: (name: SwitchName, why: string) => void;
  /** Records a ruling that has no switch. */
  readonly other: (finding: Omit<Finding, "switch">) => void;
  readonly valueOf: (name: SwitchName) => SwitchValue | undefined;
  readonly isOpen: (name: SwitchName) => boolean;
  /** Returns a finding for each switch, and those without a switch, by the number of their ruling. */
  readonly all: (whyOpen: (name: SwitchName) => string) => readonly Finding[];
  readonly behaviour: () => PartialBehaviour;
}

export function createFindings(): Findings {
  const known = new Map<SwitchName, Finding>();
  const values = new Map<SwitchName, SwitchValue>();
  const others: Finding[] = [];

  const put = (name: SwitchName, finding: Pick<Finding, "verdict" | "observed" | "how">): void => {
    const { ruling, about } = switches[name];
    known.set(name, {
      number: ruling,
      switch: name,
      topic: about,
      verdict: finding.verdict,
      engine: defaultOf(name),
      observed: finding.observed,
      how: finding.how,
    });
  };
  const odd: Findings["odd"] = (name, what, how) => {
    values.delete(name);
    put(name, { verdict: "differs", observed: what, how });
  };

  return {
    odd,
    found: (name, value, how) => {
      if (!isAllowed(name, value)) return odd(name, shortText(value), how);
      values.set(name, value);
      const verdict = value === defaultOf(name) ? "same" : "differs";
      return put(name, { verdict, observed: value, how });
    },
    unknown: (name, why) => {
      values.delete(name);
      put(name, { verdict: "unknown", observed: null, how: why });
    },
    other: (finding) => void others.push(finding),
    valueOf: (name) => values.get(name),
    isOpen: (name) => !known.has(name),
    all: (whyOpen) => {
      for (const name of switchNames) {
        if (!known.has(name)) put(name, { verdict: "unknown", observed: null, how: whyOpen(name) });
      }
      const ofSwitches = switchNames.map((name) => known.get(name)!);
      return [...ofSwitches, ...others].toSorted((one, other) => one.number - other.number);
    },
    behaviour: () =>
      Object.fromEntries(
        switchNames.flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : [])),
      ),
  };
}
