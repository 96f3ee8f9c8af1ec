import type { SwitchValue } from "../contract/behaviour.ts";
import { isObject, type ShownRecord } from "../contract/service.ts";
import { Unknown, type Refusal } from "./requests.ts";

/** Returns the value that was seen, or a text with all of them; undefined for none. */
export function allOf(values: readonly SwitchValue[]): SwitchValue | undefined {
  const seen = [...new Set(values)];
  return seen.length < 2 ? seen[0] : seen.join(" or ");
}

/** Returns the value of error_status, or a text that describes something else. @throws Unknown */
export function errorStatusOf(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) throw new Unknown("no refusal was seen");
  if (refusals.every(({ status }) => status >= 300)) return "by_cause";
  if (refusals.some(({ status }) => status !== 200)) return "a 2xx for some refusals";
  if (new Set(refusals.map(({ cause }) => cause)).size > 1) return "always_200";
  throw new Unknown("ambiguous: only one kind of refusal was seen");
}

/** Returns the value of error_body, or a text that describes something else. @throws Unknown */
export function errorBodyOf(refusals: readonly Refusal[]): SwitchValue | undefined {
  if (refusals.length === 0) throw new Unknown("no refusal was seen");
  // A gateway may refuse some requests with bodies that are not JSON objects.
  const shapes = new Set(refusals.flatMap((refusal) => shapeOf(refusal) ?? []));
  // Errors by field have no fields if none is to blame.
  if (shapes.has("errors_by_field")) shapes.delete("message");
  if (shapes.size === 0) return "no JSON object";
  const isOfField = refusals.some(({ cause }) => cause === "field");
  if (isOfField || !shapes.has("message")) return allOf([...shapes]);
  throw new Unknown("ambiguous: {message}, but no refusal of a field was seen");
}

/** Returns the form of a refusal, or its field names; undefined if it is not a JSON object. */
function shapeOf({ body, status: httpStatus }: Refusal): string | undefined {
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

function namedShapeOf(body: ShownRecord): string | undefined {
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

function hasOnly(body: ShownRecord, ...names: readonly string[]): boolean {
  return Object.keys(body).every((name) => names.includes(name));
}
