import { isAllowed, type SwitchName } from "../contract/behaviour.ts";
import { bodyShape, isPlainShape } from "./body-shape.ts";
import { ambiguous, hidden, type Findings, type Verdict } from "./findings.ts";
import { whyUnclear, type Outcome, type Refused } from "./outcome.ts";

/** Why a request is refused. The status switches of ruling 3 belong to the first six. */
type Cause =
  | "no_key"
  | "unknown_key"
  | "unknown_path"
  | "not_found"
  | "invalid"
  | "taken"
  /** Refusals whose status has no switch. */
  | "other";

interface Noted {
  readonly cause: Cause;
  /** A noun phrase: the request. */
  readonly label: string;
  readonly outcome: Outcome;
  /** Whether one field is to blame. */
  readonly isField: boolean;
}

type NotedRefusal = Noted & { readonly outcome: Refused };

/** The refusals of all experiments, from which rulings 2 and 3 follow. */
export interface Evidence {
  readonly note: (cause: Cause, label: string, outcome: Outcome, isField?: boolean) => void;
  /** Returns the texts of refusals with a label. */
  readonly textsOf: (label: string) => readonly string[];
  /** Records error_body, error_status and the status switches. */
  readonly conclude: (findings: Findings) => void;
}

const statusSwitches = {
  no_key: "no_key_status",
  unknown_key: "unknown_key_status",
  unknown_path: "unknown_path_status",
  not_found: "not_found_status",
  invalid: "invalid_status",
  taken: "taken_status",
} as const satisfies Readonly<Record<Exclude<Cause, "other">, SwitchName>>;

export function createEvidence(): Evidence {
  const noted: Noted[] = [];
  return {
    note: (cause, label, outcome, isField = false) =>
      void noted.push({ cause, label, outcome, isField }),
    textsOf: (label) =>
      noted.flatMap((one) =>
        one.label === label && one.outcome.kind === "refused" ? [one.outcome.text] : [],
      ),
    conclude: (findings) => {
      const refused = noted.filter((one): one is NotedRefusal => one.outcome.kind === "refused");
      const causes = new Set(refused.map(({ cause }) => cause)).size;
      const body = bodyOf(refused);
      findings.put("error_body", body.verdict, body.how);
      const how = `${refused.length} refusals of ${causes} kinds`;
      findings.put("error_status", errorStatusOf(refused, causes), how);
      const isAlways200 = findings.valueOf("error_status") === "always_200";
      for (const [cause, name] of Object.entries(statusSwitches)) {
        const ofCause = noted.filter((one) => one.cause === cause);
        if (ofCause.length === 0) continue;
        findings.put(name, statusOf(name, ofCause, isAlways200), labelsOf(ofCause));
      }
    },
  };
}

function labelsOf(noted: readonly Noted[]): string {
  return [...new Set(noted.map(({ label }) => label))].join(", ");
}

function errorStatusOf(refused: readonly NotedRefusal[], causes: number): Verdict {
  const with200 = refused.filter(({ outcome }) => outcome.status < 300);
  if (refused.length === 0) return { unknown: "no refusal was seen" };
  if (with200.length === 0) return { value: "by_cause" };
  if (with200.length < refused.length) {
    return { odd: `by cause, but a 2xx for ${labelsOf(with200)}` };
  }
  if (causes < 2) return ambiguous("only one kind of refusal was seen");
  return refused.some(({ outcome }) => outcome.status !== 200)
    ? { odd: "a 2xx other than 200 for every refusal" }
    : { value: "always_200" };
}

function statusOf(name: SwitchName, noted: readonly Noted[], isAlways200: boolean): Verdict {
  const accepted = noted.find(({ outcome }) => outcome.kind === "success");
  if (accepted !== undefined) return { odd: `${accepted.label}: accepted` };
  if (isAlways200) return hidden("every refusal has HTTP 200");
  const statuses = new Set(
    noted.flatMap(({ outcome }) => (outcome.kind === "refused" ? [outcome.status] : [])),
  );
  if (statuses.size > 1) return { odd: [...statuses].join(" or ") };
  const unclear = noted.find(({ outcome }) => outcome.kind !== "refused");
  if (unclear !== undefined && (statuses.size === 0 || name === "not_found_status")) {
    return { unknown: `${unclear.label}: ${whyUnclear(unclear.outcome)}` };
  }
  return { value: [...statuses][0] };
}

function bodyOf(refused: readonly NotedRefusal[]): {
  readonly verdict: Verdict;
  readonly how: string;
} {
  const how = `${refused.length} refusals`;
  if (refused.length === 0) return { verdict: { unknown: "no refusal was seen" }, how };
  const seen = refused.map((one) => ({ ...one, shape: bodyShape(one.outcome) }));
  const foreign = seen.filter(({ shape }) => isPlainShape(shape));
  const shapes = new Set(seen.map(({ shape }) => shape).filter((shape) => !isPlainShape(shape)));
  // Errors by field have no fields if none is to blame.
  if (shapes.has("errors_by_field")) shapes.delete("message");
  const [shape = ""] = shapes;
  if (shapes.size !== 1) {
    return { verdict: { odd: [...new Set(seen.map((one) => one.shape))].join(" or ") }, how };
  }
  if (foreign.length > 0 && shape === "envelope") {
    const odd = `${shape}, but ${foreign[0]!.shape} for ${labelsOf(foreign)}`;
    return { verdict: { odd }, how };
  }
  const hasField = seen.some((one) => one.isField && one.shape === shape);
  if (shape === "message" && !hasField) {
    return { verdict: ambiguous("{message}, but no refusal of a field was seen"), how };
  }
  const labels = [...new Set(foreign.map((one) => `; ${one.shape} for ${one.label}`))].join("");
  const verdict = isAllowed("error_body", shape) ? { value: shape } : { odd: shape };
  return { verdict, how: `${how}${labels}` };
}
