import { contactColumns, type ContactColumn } from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import { cut, shellWord, visibleText } from "../../../core/text.ts";

/** What the command line says of the file. */
export interface Given {
  /** The file name in errors. */
  readonly name: string;
  /** The values of `--column`. */
  readonly columns: readonly string[];
  /** The beginning of the command line, for hints. */
  readonly command: string;
}

/** Where the columns of a file are. */
export interface Header {
  readonly columns: readonly ContactColumn[];
  /** The index of the cell of each column. */
  readonly places: readonly number[];
  /** Number of all columns. */
  readonly width: number;
  /** Names of the columns that are not used. */
  readonly ignored: readonly string[];
}

/** Returns a name of a column without case and invisible marks, and with underscores for spaces. */
function plainName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/\s+/g, "_");
}

/**
 * Reads the header: names in any order.
 *
 * @throws SendctlError "usage" for a column that is unknown, missing, or one of two
 */
export function readHeader(cells: readonly string[], given: Given): Header {
  const { name, command } = given;
  const width = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  const names = cells.slice(0, width).map((cell) => cell.trim());
  const found = names.map((cell) => visibleText(cut(cell))).join(", ");
  const refuse = (problem: string, option: string): SendctlError =>
    new SendctlError("usage", `${name} ${problem}; its columns are ${found}`, {
      hint: `${command} --column ${shellWord(option)}`,
    });
  const mapped = mappedColumns(given.columns, names, found);
  const fields = names.map((cell, place) => {
    const known = contactColumns.find((column) => column === plainName(cell));
    const own = contactColumns.find((column) => mapped.get(column) === place);
    return own ?? (known !== undefined && mapped.has(known) ? undefined : known);
  });
  const twice = fields.find((field, place) => field && fields.indexOf(field) !== place);
  if (twice !== undefined) {
    const choice = `${twice}=${names[fields.indexOf(twice)]!}`;
    throw refuse(`has a duplicate column "${twice}"`, choice);
  }
  const ignored = names.filter((_, place) => fields[place] === undefined);
  if (ignored.length > 0 && mapped.size === 0) {
    const phone = fields.includes("phone") ? names[fields.indexOf("phone")]! : "HEADER";
    throw refuse(`has an unknown column "${cut(ignored[0]!)}"`, `phone=${phone}`);
  }
  if (!fields.includes("phone")) throw refuse('has no "phone" column', "phone=HEADER");
  const used = fields.flatMap((field, place) => (field === undefined ? [] : [{ field, place }]));
  return {
    columns: used.map(({ field }) => field),
    places: used.map(({ place }) => place),
    width,
    ignored,
  };
}

/** Returns the places of the fields that `--column` names. @throws SendctlError "usage" */
function mappedColumns(
  values: readonly string[],
  names: readonly string[],
  found: string,
): ReadonlyMap<ContactColumn, number> {
  const mapped = new Map<ContactColumn, number>();
  for (const value of values) {
    const refuse = (problem: string, hint: string): SendctlError =>
      new SendctlError("usage", `--column ${visibleText(value)}: ${problem}`, {
        hint,
        field: "--column",
      });
    const at = value.indexOf("=");
    const field = contactColumns.find((column) => column === value.slice(0, at));
    if (field === undefined) {
      const fields = contactColumns.join(", ");
      throw refuse("is not FIELD=HEADER", `use one of ${fields}, like phone=Mobile`);
    }
    const header = value.slice(at + 1).trim();
    const exact = names.indexOf(header);
    const place =
      exact >= 0 ? exact : names.findIndex((name) => plainName(name) === plainName(header));
    if (place < 0) throw refuse("the file has no such column", `its columns are ${found}`);
    if (mapped.has(field) || [...mapped.values()].includes(place)) {
      throw refuse("names a field or a column twice", "pass one column for each field");
    }
    mapped.set(field, place);
  }
  return mapped;
}
