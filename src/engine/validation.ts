import { namesOf, type Fields } from "../contract/resources.ts";
import type { PageQuery } from "../contract/service.ts";
import { checkOf, type FieldCheck } from "./fields.ts";
import { firstPage, perPage as perPageRuling } from "./rulings.ts";

/** Error messages by field (ruling 2). */
export type FieldErrors = Record<string, string[]>;

/** The allowed and the required fields of a body (rulings 4 and 11). */
export interface BodyRules {
  readonly checks: Readonly<Record<string, FieldCheck>>;
  readonly required: readonly string[];
  /** Fields that a create rejects because only an update sets them (ruling 10). */
  readonly updateOnly: ReadonlySet<string>;
}

/** Returns the rules for the create or update bodies of a resource. */
export function bodyRules(fields: Fields, by: "create" | "update"): BodyRules {
  const allowed = namesOf(fields, (field) => field[by] !== undefined);
  return {
    checks: Object.fromEntries(allowed.map((name) => [name, checkOf(fields[name]!)])),
    required: namesOf(fields, (field) => field[by] === "required"),
    updateOnly: new Set(
      namesOf(
        fields,
        ({ create, update }) => by === "create" && create === undefined && update !== undefined,
      ),
    ),
  };
}

/** Returns all errors of a body, or undefined if it is valid. The body may be any JSON value. */
export function bodyErrors(body: unknown, rules: BodyRules): FieldErrors | undefined {
  // No prototype, so that `__proto__` works as a field name.
  const errors = Object.create(null) as FieldErrors;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    errors["body"] = ["must be a JSON object"];
    return errors;
  }
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

/** Reads page size and page number from a query, or returns its errors (rulings 18 and 19). */
export function readPage(
  query: PageQuery,
): { readonly perPage: number; readonly page: number } | { readonly errors: FieldErrors } {
  const errors: FieldErrors = {};
  const { min, max } = perPageRuling;
  const perPage = wholeNumber(query.perPage, perPageRuling.default);
  if (perPage === undefined || perPage < min || perPage > max) {
    errors["perPage"] = [`must be a whole number from ${min} to ${max}`];
  }
  const page = wholeNumber(query.page, firstPage);
  if (page === undefined || page < firstPage) {
    errors["page"] = [`must be a whole number from ${firstPage}`];
  }
  if (perPage === undefined || page === undefined || Object.keys(errors).length > 0) {
    return { errors };
  }
  return { perPage, page };
}

/** Rejects numbers over 15 digits, which a double may not represent exactly. */
function wholeNumber(value: number | string | undefined, absent: number): number | undefined {
  if (value === undefined) return absent;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (!/^[0-9]{1,15}$/.test(String(value))) return undefined;
  return Number(value);
}
