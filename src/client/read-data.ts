import { type Page, isObject, onePage, readBoolean } from "../contract/envelope.ts";
import { operations, type OperationName } from "../contract/operations.ts";
import { pageFields, resources, type Fields } from "../contract/resources.ts";
import type { ShownRecord } from "../contract/service.ts";

/** The data of a success, or the field that does not match the specification. */
type ReadData = { readonly data: unknown } | { readonly problem: string };

/**
 * Reads the data of a success with the types of the specification. Services whose numbers and booleans come from a
 * database or a form write some of them differently; docs/remote.md lists which differences are understood. Anything
 * that could mean something else is a problem.
 */
export function readData(name: OperationName, data: unknown): ReadData {
  const { returns, resource, method } = operations[name];
  if (returns === "nothing") return { data };
  if (returns === "page") return readPage(resources[resource], data);
  // An update may be confirmed without the record, which is then fetched.
  const record = data === null && method === "PUT" ? {} : data;
  return isObject(record)
    ? { data: readRecord(resources[resource], record) }
    : { problem: "`data` is not an object" };
}

/** Reads 1 and 0 as booleans, and decimal text as numbers. */
function readRecord(fields: Fields, record: ShownRecord): ShownRecord {
  let read = record;
  for (const [field, { type }] of Object.entries(fields)) {
    const shown = Object.hasOwn(record, field) ? record[field] : undefined;
    const count = type === "integer" || type === "boolean" ? numberOf(shown) : undefined;
    const value = type === "boolean" ? readBoolean(count) : count;
    if (value !== undefined && value !== shown) read = { ...read, [field]: value };
  }
  return read;
}

/** Returns a number, or decimal text as a number; undefined for anything else, and for long or padded numbers. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "string")
    return /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : undefined;
  return typeof value === "number" ? value : undefined;
}

function readPage(fields: Fields, data: unknown): ReadData {
  const isNothing = data === null || (Array.isArray(data) && data.length === 0);
  if (isNothing) return { data: onePage([]) };
  if (!isObject(data)) return { problem: "`data` is not an object" };
  const total = data["total"] ?? undefined;
  const records = data["data"] === null && numberOf(total) === 0 ? [] : data["data"];
  if (!Array.isArray(records) || !records.every(isObject)) {
    return { problem: "`data.data` is not a list of records" };
  }
  const numbers = Object.keys(pageFields).map((field) => [field, countOf(data[field])] as const);
  const invalid = numbers.find(
    ([field, count]) => count === undefined && (field !== "total" || total !== undefined),
  );
  if (invalid !== undefined) return { problem: `\`data.${invalid[0]}\` is not a number` };
  const read = records.map((record) => readRecord(fields, record));
  const page = { ...data, ...Object.fromEntries(numbers), data: read };
  return { data: withTotal(page as unknown as Page<ShownRecord>) };
}

function countOf(value: unknown): number | undefined {
  const count = numberOf(value);
  return Number.isSafeInteger(count) && count! >= 0 ? count : undefined;
}

/** Replaces a total that is missing, or that counts only this page, by the least that the pages allow. */
function withTotal(page: Page<ShownRecord>): Page<ShownRecord> {
  const { data, current_page, last_page, per_page } = page;
  const total = page.total as number | undefined;
  const isOfPage = total === data.length && data.length <= per_page && last_page > 1;
  if (total !== undefined && !isOfPage) return page;
  const before = Math.max(0, last_page - 1) * per_page;
  return current_page < last_page
    ? { ...page, total: before + 1, isTotalAtLeast: true }
    : { ...page, total: before + data.length };
}
