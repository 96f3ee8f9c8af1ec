import { isAllowed, type SwitchName } from "../contract/behaviour.ts";
import { bodyShape, isPlainShape } from "./body-shape.ts";
import type { Findings } from "./findings.ts";
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

/** The refusals of all experiments, from which rulings 2 and 3 follow. */
export interface Evidence {
  readonly note: (cause: Cause, label: string, outcome: Outcome, isField?: boolean) => void;
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
    conclude: (findings) => {
      const refused = noted.flatMap(({ cause, label, outcome, isField }) =>
        outcome.kind === "refused" ? [{ cause, label, isField, refusal: outcome }] : [],
      );
      concludeBody(refused, findings);
      const isAlways200 = concludeErrorStatus(refused, findings);
      for (const [cause, name] of Object.entries(statusSwitches)) {
        const ofCause = noted.filter((one) => one.cause === cause);
        if (ofCause.length > 0) concludeStatus(name, ofCause, isAlways200, findings);
      }
    },
  };
}

interface SeenRefusal {
  readonly cause: Cause;
  readonly label: string;
  readonly isField: boolean;
  readonly refusal: Refused;
}

/** @returns whether every refusal has HTTP 200 */
function concludeErrorStatus(refused: readonly SeenRefusal[], findings: Findings): boolean {
  const with200 = refused.filter(({ refusal }) => refusal.status < 300);
  const causes = new Set(refused.map(({ cause }) => cause));
  const how = `${refused.length} refusals of ${causes.size} kinds`;
  if (refused.length === 0) findings.unknown("error_status", "no refusal was seen");
  else if (with200.length === 0) findings.found("error_status", "by_cause", how);
  else if (with200.length < refused.length) {
    const labels = [...new Set(with200.map(({ label }) => label))].join(", ");
    findings.odd("error_status", `by cause, but a 2xx for ${labels}`, how);
  } else if (causes.size < 2) {
    findings.unknown("error_status", "ambiguous: only one kind of refusal was seen");
  } else if (refused.some(({ refusal }) => refusal.status !== 200)) {
    findings.odd("error_status", "a 2xx other than 200 for every refusal", how);
  } else {
    findings.found("error_status", "always_200", how);
    return true;
  }
  return false;
}

function concludeStatus(
  name: SwitchName,
  noted: readonly Noted[],
  isAlways200: boolean,
  findings: Findings,
): void {
  const labels = [...new Set(noted.map(({ label }) => label))].join(", ");
  const accepted = noted.find(({ outcome }) => outcome.kind === "success");
  if (accepted !== undefined) return findings.odd(name, `${accepted.label}: accepted`, labels);
  if (isAlways200) return findings.unknown(name, "not observable: every refusal has HTTP 200");
  const statuses = new Set(
    noted.flatMap(({ outcome }) => (outcome.kind === "refused" ? [outcome.status] : [])),
  );
  if (statuses.size > 1) return findings.odd(name, [...statuses].join(" or "), labels);
  const unclear = noted.find(({ outcome }) => outcome.kind !== "refused");
  if (unclear !== undefined && (statuses.size === 0 || name === "not_found_status")) {
    return findings.unknown(name, `${unclear.label}: ${whyUnclear(unclear.outcome)}`);
  }
  const [status] = statuses;
  return findings.found(name, status, labels);
}

function concludeBody(refused: readonly SeenRefusal[], findings: Findings): void {
  const name = "error_body";
  if (refused.length === 0) return findings.unknown(name, "no refusal was seen");
  const seen = refused.map((one) => ({ ...one, shape: bodyShape(one.refusal) }));
  const how = `${refused.length} refusals`;
  const foreign = seen.filter(({ shape }) => isPlainShape(shape));
  const shapes = new Set(seen.map(({ shape }) => shape).filter((shape) => !isPlainShape(shape)));
  // Errors by field have no fields if none is to blame.
  if (shapes.has("errors_by_field")) shapes.delete("message");
  const [shape = ""] = shapes;
  if (shapes.size !== 1) {
    return findings.odd(name, [...new Set(seen.map((one) => one.shape))].join(" or "), how);
  }
  if (foreign.length > 0 && shape === "envelope") {
    const labels = [...new Set(foreign.map(({ label }) => label))].join(", ");
    return findings.odd(name, `${shape}, but ${foreign[0]!.shape} for ${labels}`, how);
  }
  const hasField = seen.some((one) => one.isField && one.shape === shape);
  if (shape === "message" && !hasField) {
    return findings.unknown(name, "ambiguous: {message}, but no refusal of a field was seen");
  }
  const labels = [...new Set(foreign.map((one) => `${one.shape} for ${one.label}`))].join(", ");
  const seenIn = labels === "" ? how : `${how}; ${labels}`;
  return isAllowed(name, shape)
    ? findings.found(name, shape, seenIn)
    : findings.odd(name, shape, seenIn);
}
