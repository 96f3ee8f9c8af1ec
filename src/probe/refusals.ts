import { isObject } from "../contract/service.ts";
import { allOf, ambiguous, hidden, type Findings, type Verdict } from "./findings.ts";
import { explainInconclusive, type Fields, type Outcome, type Refused } from "./outcome.ts";

/** Why a request is refused: "field" for a field or query parameter. */
export type Cause = "unknown_path" | "not_found" | "field";

interface Recorded<Kind extends Outcome> {
  readonly cause: Cause;
  readonly outcome: Kind;
}

/** The refusals of all experiments, from which rulings 2 and 3 follow. */
export type Refusals = ReturnType<typeof createRefusals>;

export function createRefusals() {
  const recorded: Recorded<Outcome>[] = [];
  return {
    record: (cause: Cause, outcome: Outcome): void => void recorded.push({ cause, outcome }),
    /** Records error_body, error_status and not_found_status. */
    conclude: (findings: Findings): void => {
      const refused = recorded.filter(
        (entry): entry is Recorded<Refused> => entry.outcome.kind === "refused",
      );
      findings.put({ error_body: errorBodyOf(refused), error_status: errorStatusOf(refused) });
      const isAlways200 = findings.valueOf("error_status") === "always_200";
      const absent = recorded.filter(({ cause }) => cause === "not_found");
      const outcomes = absent.map(({ outcome }) => outcome);
      findings.put({ not_found_status: statusOf(outcomes, isAlways200) });
    },
  };
}

function errorStatusOf(refused: readonly Recorded<Refused>[]): Verdict {
  const statuses = refused.map(({ outcome }) => outcome.status);
  if (statuses.length === 0) return { unknown: "no refusal was seen" };
  if (statuses.every((status) => status >= 300)) return { value: "by_cause" };
  if (statuses.some((status) => status !== 200)) return { value: "a 2xx for some refusals" };
  const causes = new Set(refused.map(({ cause }) => cause));
  return causes.size < 2 ? ambiguous("only one kind of refusal was seen") : { value: "always_200" };
}

function statusOf(outcomes: readonly Outcome[], isAlways200: boolean): Verdict {
  if (outcomes.some(({ kind }) => kind === "success")) return { value: "accepted" };
  if (isAlways200) return hidden("every refusal has HTTP 200");
  const unclear = outcomes.find(({ kind }) => kind !== "refused");
  if (unclear !== undefined) return { unknown: explainInconclusive(unclear) };
  return allOf((outcomes as readonly Refused[]).map(({ status }) => status));
}

function errorBodyOf(refused: readonly Recorded<Refused>[]): Verdict {
  if (refused.length === 0) return { unknown: "no refusal was seen" };
  // A gateway may refuse some requests with bodies that are not JSON objects.
  const shapes = new Set(refused.flatMap(({ outcome }) => shapeOf(outcome) ?? []));
  // Errors by field have no fields if none is to blame.
  if (shapes.has("errors_by_field")) shapes.delete("message");
  if (shapes.size === 0) return { value: "no JSON object" };
  const isOfField = refused.some(({ cause }) => cause === "field");
  return shapes.has("message") && !isOfField
    ? ambiguous("{message}, but no refusal of a field was seen")
    : allOf(shapes);
}

/**
 * Returns the value of the switch error_body that describes a refusal, or the names of its fields; undefined if it is
 * not a JSON object.
 */
function shapeOf({ body, status: httpStatus }: Refused): string | undefined {
  if (!isObject(body)) return undefined;
  const { status, message } = body;
  if (status === false && "data" in body && typeof message === "string") {
    if (hasOnly(body, "status", "message", "data", "errors")) return "envelope";
  }
  // A refusal with HTTP 200 needs a status false, whatever else it has.
  const { status: _, ...others } = body;
  const shown = status === false && httpStatus < 300 ? others : body;
  return namedShapeOf(shown) ?? `{${Object.keys(shown).join(", ")}}`;
}

function namedShapeOf(body: Fields): string | undefined {
  const { title, type, detail, status, message, errors, error } = body;
  const isTitled = typeof title === "string" && typeof status === "number";
  // With HTTP 200, the status of problem details gives way to the flag.
  if (isTitled || (typeof type === "string" && typeof detail === "string")) return "problem";
  if (typeof message === "string" && hasOnly(body, "message", "errors")) {
    if (errors === undefined) return "message";
    return isObject(errors) ? "errors_by_field" : undefined;
  }
  if (!hasOnly(body, "error")) return undefined;
  if (typeof error === "string") return "error";
  const isNested = isObject(error) && typeof error["message"] === "string";
  return isNested && hasOnly(error, "message") ? "error_message" : undefined;
}

function hasOnly(body: Fields, ...names: readonly string[]): boolean {
  return Object.keys(body).every((name) => names.includes(name));
}
