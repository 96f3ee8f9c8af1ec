import jmespath from "jmespath";
import { stringify } from "lossless-json";
import { SendctlError } from "../../core/error.ts";
import { indentedJson } from "../../core/json-text.ts";
import { lineOf } from "../../service/lines.ts";
import { textOf, type RecordView } from "../views.ts";
import { type Format, type Printer, queryRefusal } from "./format.ts";
import { recordTable, tablePieces, type Cell, type Column, type Surface } from "../table/table.ts";

const startsAtRecord =
  "The query matched nothing: it starts at the record, without data: --query name";
const startsAtRecords =
  "The query matched nothing: it starts at the records, without data: --query '[].name'";
const hasNoData = "The query matched nothing: the result has no data";

/**
 * Wraps a format to show the result of a JMESPath expression instead of records. A refusal is shown unchanged, and so is
 * an error without data.
 *
 * @param format the format without a query
 */
export function queryFormat(name: string, format: Format, expression: string): Format {
  const show = async (
    value: unknown,
    view: RecordView | undefined,
    printer: Printer,
  ): Promise<void> => {
    const { toDouble, toOriginal, ...prepared } = asDoubles(value, expression);
    const copy = ownFields(value, toDouble);
    const selected = searchWith(prepared.expression, copy);
    const result = withLeaves(selected, toOriginal);
    if (result === null && copy === null) await printer.say(hasNoData);
    else if (result === null && /^\s*data\b/.test(expression)) {
      await printer.say(Array.isArray(copy) ? startsAtRecords : startsAtRecord);
    }
    if (name === "json") return printer.printJson(indentedJson(stringify(result)!));
    if (name === "jsonl") {
      const items = Array.isArray(result) ? (result as unknown[]) : [result];
      return printer.printJson(items.map((item) => `${stringify(item)}\n`).join(""));
    }
    if (name !== "table") return format.report({ message: "", data: result }, printer);
    // A selection of complete records is shown like a list of records.
    if (view !== undefined && isSelection(selected, copy)) {
      const lines = (result as readonly object[]).map(lineOf);
      const { length: count } = lines;
      return format.list({ message: "", count, total: count, lines }, view, printer, {});
    }
    return printer.print(await resultText(result, await printer.surface()));
  };
  return {
    ...format,
    record: (reply, view, printer) => show(reply.envelope!.data, view, printer),
    list: ({ lines, count }, view, printer) => {
      if (count > maxRecords) throw tooMany();
      const records = Array.from(lines, ({ record }) => record);
      return show(records, view, printer);
    },
    // An expression needs all records.
    needsAll: true,
    lines: () => {
      throw queryRefusal("an endless list of records");
    },
    report: (report, printer) => {
      const { data, records, error } = report;
      if (error !== undefined && data === null) return format.report(report, printer);
      const inner = (data as { readonly data?: unknown } | null)?.data;
      return show(Array.isArray(inner) ? inner : data, records?.view, printer);
    },
  };
}

/** Parsed and copied, more records would take more than a gigabyte of memory. */
const maxRecords = 200_000;

function tooMany(): SendctlError {
  const message = `--query takes at most ${maxRecords} records, and the list has more`;
  const hint = "select fewer with --limit, --name or --search, or pipe --output jsonl to a filter";
  return new SendctlError("usage", message, { hint, setting: "--query" });
}

/** Returns whether a result consists of complete records. */
function isSelection(result: unknown, records: unknown): result is readonly object[] {
  if (!Array.isArray(result) || !Array.isArray(records) || result.length === 0) return false;
  const known = new Set<unknown>(records);
  return result.every((item) => typeof item === "object" && item !== null && known.has(item));
}

/** Checks a JMESPath expression. @throws SendctlError "usage" if it is invalid */
export function compileQuery(expression: string): void {
  try {
    jmespath.compile(expression);
  } catch (error) {
    const message = `invalid expression "${expression}" for --query: ${reason(error)}`;
    const hint = "see https://jmespath.org/specification.html";
    throw new SendctlError("usage", message, { hint, setting: "--query" });
  }
}

/** Returns whether the result for a value contains a text. @throws SendctlError "usage" if it does not apply to the value */
export function queryShows(expression: string, value: object, text: string): boolean {
  return JSON.stringify(searchWith(expression, ownFields(value))).includes(text);
}

/**
 * Evaluates a JMESPath expression.
 *
 * @throws SendctlError "usage" if the expression does not apply to the value, such as the length of a number
 */
function searchWith(expression: string, value: unknown): unknown {
  try {
    return jmespath.search(value, withoutExtremes(expression)) ?? null;
  } catch (error) {
    throw new SendctlError("usage", `--query cannot be evaluated: ${reason(error)}`, {
      hint: "the request itself succeeded; print its response without --query",
      setting: "--query",
    });
  }
}

function reason(error: unknown): string {
  const text = (error as Error).message.replace(/^(?:\w*Error: )+/, "");
  // The library names neither the function nor the types.
  const isOfKey = text === "TypeError" || /^expected (?:one of )?\d/.test(text);
  return isOfKey ? "sort_by, max_by and min_by need a number, or a text, in each record" : text;
}

/**
 * Returns a copy whose objects have no prototype. In objects with one, the library would find `constructor`.
 */
function ownFields(value: unknown, convert: (leaf: unknown) => unknown = (leaf) => leaf): unknown {
  if (Array.isArray(value)) return value.map((item) => ownFields(item, convert));
  if (typeof value !== "object" || value === null) return convert(value);
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) copy[name] = ownFields(field, convert);
  return copy;
}

/** Returns the result of a query as text: a table of objects or lists, or one value per line. */
async function resultText(result: unknown, surface: Surface): Promise<string> {
  if (result === null) return "";
  if (!isNested(result)) return `${textOf(result)}\n`;
  if (!Array.isArray(result)) {
    const fields = Object.entries(result).map(
      ([name, value]) => [textOf(name), cellOf(value)] as const,
    );
    return fields.length === 0 ? "" : `${await recordTable(fields, surface)}\n`;
  }
  const items = result as readonly unknown[];
  const isOfRows = items.every(Array.isArray);
  if (!isOfRows && !items.every((item) => isNested(item) && !Array.isArray(item))) {
    return items.map((item) => `${cellOf(item).text}\n`).join("");
  }
  return nestedTable(items as readonly Fields[], isOfRows, surface);
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns a table whose columns are the fields of all objects, in order of first occurrence, or the items of all rows. */
async function nestedTable(
  items: readonly Fields[],
  isOfRows: boolean,
  surface: Surface,
): Promise<string> {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (names.length === 0) return "";
  const columns = names.map((name): Column => {
    if (isOfRows) return { label: String(Number(name) + 1) };
    const isVital = ["id", "name", "status"].includes(name);
    return { label: textOf(name), least: 10, ...(isVital && { vital: true }) };
  });
  const cells = items.map((item) => names.map((name) => cellOf(item[name])));
  let table = "";
  for await (const piece of tablePieces(columns, cells, surface, !isOfRows)) table += piece;
  return table;
}

function cellOf(value: unknown): Cell {
  return { text: value === null ? "-" : textOf(value) };
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** What replaces a function that the library computes for numbers only, and the item of its result. */
const replacements: Readonly<Record<string, readonly [name: string, item: string]>> = {
  max_by: ["sort_by", "[-1]"],
  min_by: ["sort_by", "[0]"],
};

/**
 * Returns a JMESPath expression with `sort_by` in place of `max_by` and `min_by`, which find nothing where the key is a
 * text.
 *
 * @param expression a valid expression
 */
function withoutExtremes(expression: string): string {
  if (!/\b(?:max|min)_by\b/.test(expression)) return expression;
  const tokens = jmespath.tokenize(expression);
  /** The texts to add after each open parenthesis is closed. */
  const open: string[] = [];
  const edits: { at: number; length: number; text: string }[] = [];
  for (const [index, { type, start }] of tokens.entries()) {
    if (type === "Lparen") {
      const called = tokens[index - 1];
      const name = called?.type === "UnquotedIdentifier" ? String(called.value) : "";
      const [replacement, item] = replacements[name] ?? [name, ""];
      if (item !== "") edits.push({ at: called!.start, length: name.length, text: replacement });
      open.push(item);
    } else if (type === "Rparen") {
      edits.push({ at: start + 1, length: 0, text: open.pop()! });
    }
  }
  return edits.reduceRight(
    (text, edit) => text.slice(0, edit.at) + edit.text + text.slice(edit.at + edit.length),
    expression,
  );
}

/** Matches a whole number in a literal of JMESPath that a double may not be able to hold. */
const longLiteral = /`\s*(-?\d{16,})\s*`/g;

/**
 * Prepares values with integers beyond 2^53, which are of type bigint, for a library that knows only doubles: each becomes a
 * double of its own, in the same order, and so do those of the expression.
 *
 * @returns the expression, and functions that convert a bigint of the values and a double of the result
 */
function asDoubles(value: unknown, expression: string) {
  const found = new Set<bigint>();
  collect(value, found);
  if (found.size === 0) return { expression, toDouble: unchanged, toOriginal: unchanged };
  for (const [, digits] of expression.matchAll(longLiteral)) found.add(BigInt(digits!));
  const doubles = new Map<bigint, number>();
  let last = -Infinity;
  for (const integer of [...found].toSorted((a, b) => (a < b ? -1 : 1))) {
    const nearest = Number(integer);
    last = nearest > last ? nearest : last + Math.abs(last) * Number.EPSILON;
    doubles.set(integer, last);
  }
  const originals = new Map([...doubles].map(([integer, double]) => [double, integer]));
  return {
    expression: expression.replaceAll(
      longLiteral,
      (_, digits: string) => `\`${doubles.get(BigInt(digits))}\``,
    ),
    toDouble: (item: unknown): unknown => (typeof item === "bigint" ? doubles.get(item) : item),
    toOriginal: (item: unknown): unknown =>
      typeof item === "number" ? (originals.get(item) ?? item) : item,
  };
}

const unchanged = (leaf: unknown): unknown => leaf;

function collect(value: unknown, found: Set<bigint>): void {
  if (typeof value === "bigint") found.add(value);
  else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) collect(item, found);
  }
}

/** Returns a value with its leaves converted; objects in which none changes stay the same. */
function withLeaves(value: unknown, convert: (leaf: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return convert(value);
  const entries = Object.entries(value).map(
    ([key, item]) => [key, withLeaves(item, convert)] as const,
  );
  const isSame = entries.every(([key, item]) => (value as Record<string, unknown>)[key] === item);
  if (isSame) return value;
  if (Array.isArray(value)) return entries.map(([, item]) => item);
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries));
}
