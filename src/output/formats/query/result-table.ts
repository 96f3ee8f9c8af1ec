import { textOf } from "../../views.ts";
import { listTable, recordTable, type Cell, type Surface } from "../../table/table.ts";

/** Returns the result of a query as text: a table of objects or lists, or one value per line. */
export async function resultText(result: unknown, surface: Surface): Promise<string> {
  if (result === null) return "";
  if (!isNested(result)) return `${textOf(result)}\n`;
  if (!Array.isArray(result)) {
    const fields = Object.entries(result).map(
      ([name, value]) => [textOf(name), cellOf(value)] as const,
    );
    return fields.length === 0 ? "" : `${await recordTable(fields, surface)}\n`;
  }
  const items = result as readonly unknown[];
  if (items.length === 0) return "";
  if (items.every(Array.isArray)) return rowTable(items as readonly unknown[][], surface);
  if (items.every((item) => isNested(item) && !Array.isArray(item))) {
    return objectTable(items as readonly Fields[], surface);
  }
  return items.map((item) => `${cellOf(item).text}\n`).join("");
}

type Fields = Readonly<Record<string, unknown>>;

async function rowTable(rows: readonly unknown[][], surface: Surface): Promise<string> {
  const length = rows.reduce((longest, row) => Math.max(longest, row.length), 0);
  if (length === 0) return "";
  const columns = Array.from({ length }, (_, index) => ({ label: String(index + 1) }));
  const cells = rows.map((row) => columns.map((_, index) => cellOf(row[index])));
  return `${await listTable(columns, cells, surface, false)}\n`;
}

/** Returns a table whose columns are the fields of all objects, in order of first occurrence. */
async function objectTable(objects: readonly Fields[], surface: Surface): Promise<string> {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  if (names.length === 0) return "";
  const columns = names.map((name) => ({ label: textOf(name), least: 10 }));
  const cells = objects.map((one) => names.map((name) => cellOf(one[name])));
  return `${await listTable(columns, cells, surface)}\n`;
}

function cellOf(value: unknown): Cell {
  return { text: value === null ? "-" : textOf(value) };
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
