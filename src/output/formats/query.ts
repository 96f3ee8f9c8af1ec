import jmespath from "jmespath";
import { SendctlError } from "../../core/error.ts";
import { indentedJson } from "../../core/json-text.ts";
import { textOf } from "../views.ts";
import { type Format, type Printer, queryRefusal } from "./format.ts";
import { recordTable, tablePieces, type Cell, type Column, type Surface } from "../table/table.ts";

const startsAtRecord =
  "The query matched nothing: it starts at the record, without data: --query name";
const startsAtRecords =
  "The query matched nothing: it starts at the records, without data: --query '[].name'";
const hasNoData = "The query matched nothing: the result has no data";

/**
 * Wraps a format to show the result of a JMESPath expression instead of records. A refusal is shown
 * unchanged, and so is an error without data.
 *
 * @param format the format without a query
 */
export function queryFormat(name: string, format: Format, expression: string): Format {
  const show = async (value: unknown, printer: Printer): Promise<void> => {
    const copy = queryable(value);
    const result = searchWith(expression, copy);
    if (result === null && copy === null) await printer.say(hasNoData);
    else if (result === null && /^\s*data\b/.test(expression)) {
      await printer.say(Array.isArray(copy) ? startsAtRecords : startsAtRecord);
    }
    if (name === "json") return printer.printJson(indentedJson(JSON.stringify(result)));
    if (name === "jsonl") {
      const items = Array.isArray(result) ? (result as unknown[]) : [result];
      return printer.printJson(items.map((item) => `${JSON.stringify(item)}\n`).join(""));
    }
    if (name !== "table") return format.report({ message: "", data: result }, printer);
    return printer.print(await resultText(result, await printer.surface()));
  };
  return {
    ...format,
    record: (reply, _, printer) => show(reply.envelope!.data, printer),
    list: ({ lines, count }, _, printer) => {
      if (count > maxRecords) throw tooMany();
      const records = Array.from(lines, ({ record }) => record);
      return show(records, printer);
    },
    // An expression needs all records.
    needsAll: true,
    lines: () => {
      throw queryRefusal("an endless list of records");
    },
    report: (report, printer) => {
      const { data, error } = report;
      if (error !== undefined && data === null) return format.report(report, printer);
      const inner = (data as { readonly data?: unknown } | null)?.data;
      return show(Array.isArray(inner) ? inner : data, printer);
    },
  };
}

/** Parsed and copied, more records would take more than a gigabyte of memory. */
const maxRecords = 200_000;

function tooMany(): SendctlError {
  const message = `--query takes at most ${maxRecords} records, and the list has more`;
  const hint = "select fewer with --limit, --name or --search, or pipe --output jsonl to a filter";
  return new SendctlError("usage", message, { hint, field: "--query" });
}

/** Checks a JMESPath expression. @throws SendctlError "usage" if it is invalid */
export function compileQuery(expression: string): void {
  try {
    jmespath.compile(expression);
  } catch (error) {
    const message = `invalid expression "${expression}" for --query: ${reason(error)}`;
    const hint = "see https://jmespath.org/specification.html";
    throw new SendctlError("usage", message, { hint, field: "--query" });
  }
}

/** Returns whether a result contains a text. @throws SendctlError "usage" if it does not apply */
export function queryShows(expression: string, value: object, text: string): boolean {
  return JSON.stringify(searchWith(expression, queryable(value))).includes(text);
}

/**
 * Evaluates a JMESPath expression.
 *
 * @throws SendctlError "usage" for an expression like the length of a number
 */
function searchWith(expression: string, value: unknown): unknown {
  try {
    return jmespath.search(value, expression) ?? null;
  } catch (error) {
    throw new SendctlError("usage", `--query cannot be evaluated: ${reason(error)}`, {
      hint: "the request itself succeeded; print its response without --query",
      field: "--query",
    });
  }
}

function reason(error: unknown): string {
  const text = (error as Error).message.replace(/^(?:\w*Error: )+/, "");
  // The library names neither the function nor the types.
  const isOfKey = text === "TypeError" || /^expected (?:one of )?\d/.test(text);
  return isOfKey
    ? "sort_by needs a number or a text in each record, and max_by and min_by a number"
    : text;
}

/**
 * Returns a copy for the library, which finds fields such as `constructor` in objects with a
 * prototype, and knows only doubles: integers beyond 2^53, which are of type bigint, become texts.
 */
function queryable(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(queryable);
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) copy[name] = queryable(field);
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

/** Returns a table: the columns are the fields of all objects, or the items of all rows. */
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
