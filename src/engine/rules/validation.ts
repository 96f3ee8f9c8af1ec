import { ownBehaviour, type Behaviour } from "../../contract/behaviour.ts";
import { isObject } from "../../contract/service.ts";
import type { FieldErrors } from "./replies.ts";
import {
  namesOf,
  type Field,
  type Fields,
  type TextRulingNumber,
} from "../../contract/resources.ts";
import { pathDots, textRulings, type TextRuling } from "./rulings.ts";

/** The allowed and the required fields of a body (rulings 4, 10 and 11). */
export interface BodyRules {
  readonly checks: Readonly<Record<string, FieldCheck>>;
  readonly required: readonly string[];
  /** Fields that a create rejects because only an update sets them (ruling 10). */
  readonly updateOnly: ReadonlySet<string>;
  /** Removes ignored fields from a body before its checks. */
  readonly convert: (body: Body) => Body;
}

/** Returns the rules for the create or update bodies of a resource. */
export function bodyRules(
  fields: Fields,
  by: "create" | "update",
  behaviour: Behaviour = ownBehaviour,
): BodyRules {
  const isAlsoStored = by === "create" && behaviour.update_fields_in_create === "stored";
  const allowed = namesOf(
    fields,
    (field) => field[by] !== undefined || (isAlsoStored && field.update !== undefined),
  );
  const updateOnly = namesOf(
    fields,
    ({ create, update }) => by === "create" && create === undefined && update !== undefined,
  );
  return {
    checks: Object.fromEntries(
      allowed.map((name) => [name, checkOf(fields[name]!, by, behaviour)]),
    ),
    required: requiredFields(fields, by, behaviour),
    updateOnly: new Set(updateOnly),
    convert: conversionOf({ allowed, updateOnly }, behaviour),
  };
}

/** Returns the fields that a body needs: ruling 4. */
function requiredFields(
  fields: Fields,
  by: "create" | "update",
  behaviour: Behaviour,
): readonly string[] {
  const needs = by === "update" ? behaviour.group_update_requires : "nothing";
  if (needs === "name") return ["name"];
  return needs === "every_field"
    ? namesOf(fields, (field) => field[by] !== undefined && field.refersTo === undefined)
    : namesOf(fields, (field) => field[by] === "required");
}

/**
 * Reads a body, which may be any JSON value.
 *
 * @returns the body, which is the same unless the behaviour changes it; otherwise all its errors
 */
export function readBody<Body extends object>(
  body: Body,
  rules: BodyRules,
): { readonly body: Body } | { readonly errors: FieldErrors } {
  if (!isObject(body)) return { errors: { body: ["must be a JSON object"] } };
  const converted = rules.convert(body);
  const errors = bodyErrors(converted, rules);
  return errors === undefined ? { body: converted as Body } : { errors };
}

/** Returns all errors of a body, or undefined if it is valid. */
function bodyErrors(
  body: Readonly<Record<string, unknown>>,
  rules: BodyRules,
): FieldErrors | undefined {
  // No prototype, so that `__proto__` works as a field name.
  const errors = Object.create(null) as FieldErrors;
  const given = new Map(Object.entries(body));
  for (const name of rules.required) {
    if (given.get(name) === undefined) errors[name] = ["is required"];
  }
  for (const [name, value] of given) {
    if (value === undefined) continue;
    const error = fieldError(name, value, rules);
    if (error !== undefined) errors[name] = [error];
  }
  return Object.keys(errors).length > 0 ? errors : undefined;
}

function fieldError(name: string, value: unknown, rules: BodyRules): string | undefined {
  if (Object.hasOwn(rules.checks, name)) return rules.checks[name]!(value);
  if (rules.updateOnly.has(name)) return "can only be set by an update";
  return `is unknown (known fields: ${Object.keys(rules.checks).join(", ")})`;
}

type Body = Readonly<Record<string, unknown>>;

/** Returns the function that removes ignored fields before the checks (rulings 10 and 11). */
function conversionOf(
  names: { readonly allowed: readonly string[]; readonly updateOnly: readonly string[] },
  behaviour: Behaviour,
): BodyRules["convert"] {
  const ignoresUnknown = behaviour.unknown_fields === "ignored";
  const ignored = new Set(behaviour.update_fields_in_create === "ignored" ? names.updateOnly : []);
  if (!ignoresUnknown && ignored.size === 0) return (body) => body;
  const known = new Set([...names.allowed, ...names.updateOnly]);
  const isKept = (name: string): boolean =>
    !ignored.has(name) && (!ignoresUnknown || known.has(name));
  return (body) => Object.fromEntries(Object.entries(body).filter(([name]) => isKept(name)));
}

/** Returns the error of a field, worded to follow its name, or undefined if it is valid. */
export type FieldCheck = (value: unknown) => string | undefined;

/** Returns the check of a body field (rulings 5 to 8 and 12 to 14). */
export function checkOf(
  field: Field,
  by: "create" | "update" = "create",
  behaviour: Behaviour = ownBehaviour,
): FieldCheck {
  const isNullRefused = by === "update" && behaviour.null_in_update === "refused";
  const isNullable = field.null !== undefined && !isNullRefused;
  const check = checkOfValue(field, isNullable);
  return isNullable ? (value) => (value === null ? undefined : check(value)) : check;
}

/** Returns the check of a non-null value. Strings and numbers are not booleans: ruling 12. */
function checkOfValue(field: Field, isNullable: boolean): FieldCheck {
  if (field.type === "boolean") {
    const text = isNullable ? "must be true, false or null" : "must be true or false";
    return (value) => (typeof value === "boolean" ? undefined : text);
  }
  if (field.refersTo !== undefined) {
    // Ruling 14: the store finds out whether the sender ID exists.
    const text = `must be a string${isNullable ? " or null" : ""}`;
    return (value) => (typeof value === "string" ? undefined : text);
  }
  const ruling = textRulings[field.ruling as TextRulingNumber];
  const alternative = isNullable ? "null or " : "";
  return (value) => textError(value, ruling, alternative);
}

/** Returns why the engine refuses a text: "must have 1 to 1000 characters"; or undefined. */
export function refusedText({ ruling, refersTo }: Field, text: string): string | undefined {
  if (refersTo !== undefined || ruling === undefined || !(ruling in textRulings)) return undefined;
  return textError(text, textRulings[ruling as TextRulingNumber], "");
}

/** Ruling 5: the limits of a sender ID's name apply to the names of integrations. */
export const nameError: FieldCheck = (value) => textError(value, textRulings[5], "");

/** Checks a text. UTF-8 cannot encode lone surrogates. @param alternative "" or "null or " */
function textError(value: unknown, ruling: TextRuling, alternative: string): string | undefined {
  const { min, max, refused, refusedName, isKey } = ruling;
  if (typeof value !== "string")
    return `must be ${alternative}a string of ${min} to ${max} characters`;
  const length = value.length > 2 * max ? value.length : Array.from(value).length;
  if (length < min || length > max) return `must have ${min} to ${max} characters`;
  if (!value.isWellFormed()) return "must not contain half a surrogate pair";
  if (refused.test(value)) return `must not contain ${refusedName}`;
  if (isKey !== true) return undefined;
  if (value.trim() !== value) return "must not begin or end with white space";
  return pathDots.includes(value)
    ? `must not be "${value}", which a URL path cannot contain`
    : undefined;
}
