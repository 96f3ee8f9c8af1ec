import { ownBehaviour, switches, type Behaviour } from "../../contract/behaviour.ts";
import { isObject } from "../../contract/envelope.ts";
import type { FieldErrors } from "./refusal.ts";
import { groupFields, namesOf, type Field, type Fields } from "../../contract/resources.ts";
import type { PageQuery } from "../../contract/service.ts";
import { checkOf, type FieldCheck } from "./fields.ts";
import { firstPage } from "./rulings.ts";

/** The allowed and the required fields of a body (rulings 4, 10 and 11). */
export interface BodyRules {
  readonly checks: Readonly<Record<string, FieldCheck>>;
  readonly required: readonly string[];
  /** Fields that a create rejects because only an update sets them (ruling 10). */
  readonly updateOnly: ReadonlySet<string>;
  /** Changes a body before its checks; undefined if they apply to it as sent. */
  readonly convert: Conversion | undefined;
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
    convert: conversionOf(fields, { allowed, updateOnly }, behaviour),
  };
}

/** Returns the fields that a body needs: ruling 4. */
export function requiredFields(
  fields: Fields,
  by: "create" | "update",
  behaviour: Behaviour,
): readonly string[] {
  const ofGroup = {
    create: behaviour.group_create_requires,
    update: behaviour.group_update_requires,
  };
  const needs = fields === groupFields ? ofGroup[by] : behaviour.sender_id_create_requires;
  if (needs === "name") return ["name"];
  if (needs === "name_and_send_birthday") return ["name", "send_birthday"];
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
  const converted = rules.convert === undefined ? body : rules.convert(body);
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

export interface RequestedPage {
  readonly perPage: number;
  readonly page: number;
}

/** Reads page size and page number from a query, or returns its errors (rulings 18 and 19). */
export function readPage(
  query: PageQuery,
  behaviour: Behaviour = ownBehaviour,
): RequestedPage | { readonly errors: FieldErrors } {
  const errors: FieldErrors = {};
  const { min } = switches.per_page_default;
  const max = behaviour.per_page_max;
  const perPage = pageSize(query.perPage, behaviour);
  if (perPage === undefined || perPage < min || perPage > max) {
    errors["perPage"] = [`must be a whole number from ${min} to ${max}`];
  }
  const isIgnored = behaviour.page_parameter === "ignored";
  const page = isIgnored ? firstPage : wholeNumber(query.page, firstPage);
  if (behaviour.page_parameter === "refused" && query.page !== undefined) {
    errors["page"] = ["is not a parameter of this list"];
  } else if (page === undefined || page < firstPage) {
    errors["page"] = [`must be a whole number from ${firstPage}`];
  }
  if (perPage === undefined || page === undefined || Object.keys(errors).length > 0) {
    return { errors };
  }
  return { perPage, page };
}

/** Returns the page size of a query; undefined if it is not a number. */
function pageSize(given: number | string | undefined, behaviour: Behaviour): number | undefined {
  const { per_page_default, per_page_max } = behaviour;
  const size = wholeNumber(given, per_page_default);
  const isHuge = size === undefined && /^[0-9]{16,}$/.test(String(given));
  if (behaviour.per_page_over_max === "capped" && (isHuge || (size ?? 0) > per_page_max)) {
    return per_page_max;
  }
  const isInvalid = !isHuge && (size === undefined || size < switches.per_page_default.min);
  return isInvalid && behaviour.per_page_invalid === "default" ? per_page_default : size;
}

/** Rejects numbers over 15 digits, which a double may not represent exactly. */
function wholeNumber(value: number | string | undefined, absent: number): number | undefined {
  if (value === undefined) return absent;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (!/^[0-9]{1,15}$/.test(String(value))) return undefined;
  return Number(value);
}

type Body = Readonly<Record<string, unknown>>;

/** Changes a body before its checks. */
type Conversion = (body: Body) => Body;

/** Returns the new value of a field. */
type Change = (value: unknown) => unknown;

/** Values that stand for booleans if types are coerced: ruling 12. */
const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["1", true],
  [1, true],
  ["false", false],
  ["0", false],
  [0, false],
]);

/**
 * Returns what changes a body before its checks: ignored fields (rulings 10 and 11), coerced types (12) and trimmed
 * texts (7 and 8). Undefined if the behaviour changes nothing, as the engine's own.
 */
function conversionOf(
  fields: Fields,
  names: { readonly allowed: readonly string[]; readonly updateOnly: readonly string[] },
  behaviour: Behaviour,
): Conversion | undefined {
  const ignoresUnknown = behaviour.unknown_fields === "ignored";
  const ignored = new Set(behaviour.update_fields_in_create === "ignored" ? names.updateOnly : []);
  const changes = new Map<string, Change>();
  for (const name of names.allowed) {
    const change = changeOf(fields[name]!, behaviour);
    if (change !== undefined) changes.set(name, change);
  }
  if (!ignoresUnknown && ignored.size === 0 && changes.size === 0) return undefined;
  const known = new Set([...names.allowed, ...names.updateOnly]);
  const isKept = (name: string): boolean =>
    !ignored.has(name) && (!ignoresUnknown || known.has(name));
  return (body) =>
    Object.fromEntries(
      Object.entries(body)
        .filter(([name]) => isKept(name))
        .map(([name, value]) => [name, changes.get(name)?.(value) ?? value]),
    );
}

function changeOf(field: Field, behaviour: Behaviour): Change | undefined {
  const isCoerced = behaviour.types === "coerced";
  const { group_name_spaces: name, birthday_message_spaces: message } = behaviour;
  const isTrimmed =
    (field.ruling === 7 ? name : field.ruling === 8 ? message : "kept") === "trimmed";
  if (field.type === "boolean") return isCoerced ? (value) => booleans.get(value) : undefined;
  if (!isCoerced && !isTrimmed) return undefined;
  return (value) => {
    const text = isCoerced && typeof value === "number" ? String(value) : value;
    return isTrimmed && typeof text === "string" ? text.trim() : text;
  };
}
