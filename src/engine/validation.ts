import { firstPage, perPage as perPageRuling } from "./rulings.ts";
import type { FieldCheck } from "./fields.ts";
import type { PageQuery } from "../contract/service.ts";

/** For each field at fault, what is wrong with it: ruling 2. */
export type FieldErrors = Record<string, string[]>;

/** What a body may hold, and which of it must be there: rulings 4 and 11. */
export interface BodyRules {
  readonly fields: Readonly<Record<string, FieldCheck>>;
  readonly required: readonly string[];
  /** Members that belong to another operation, and where they are taken: ruling 10. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/** Every fault of a body, or undefined where there is none. The body may be anything. */
export function bodyErrors(body: unknown, rules: BodyRules): FieldErrors | undefined {
  // Without a prototype, so that a member called __proto__ is a member like any other.
  const errors = Object.create(null) as FieldErrors;
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    errors["body"] = ["must be a JSON object"];
    return errors;
  }
  const members = new Map(Object.entries(body));
  for (const name of rules.required) {
    if (members.get(name) === undefined) errors[name] = ["is required"];
  }
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const fault = memberFault(name, value, rules);
    if (fault !== undefined) errors[name] = [fault];
  }
  return Object.keys(errors).length > 0 ? errors : undefined;
}

function memberFault(name: string, value: unknown, rules: BodyRules): string | undefined {
  if (Object.hasOwn(rules.fields, name)) return rules.fields[name]!(value);
  if (rules.elsewhere !== undefined && Object.hasOwn(rules.elsewhere, name)) {
    return rules.elsewhere[name]!;
  }
  return `is unknown here: ${Object.keys(rules.fields).join(", ")} can be given`;
}

/** The page that a query asks for, or what is wrong with it: rulings 18 and 19. */
export function readPage(
  query: PageQuery,
): { readonly perPage: number; readonly page: number } | { readonly errors: FieldErrors } {
  const errors: FieldErrors = {};
  const { least, most } = perPageRuling;
  const perPage = wholeNumber(query.perPage, perPageRuling.default);
  if (perPage === undefined || perPage < least || perPage > most) {
    errors["perPage"] = [`must be a whole number from ${least} to ${most}`];
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

/** Numbers that a double can't hold exactly are none: nothing could be paged that far. */
function wholeNumber(value: number | string | undefined, absent: number): number | undefined {
  if (value === undefined) return absent;
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (!/^[0-9]{1,15}$/.test(String(value))) return undefined;
  return Number(value);
}
