import { contactColumns, type ContactColumn } from "../../../contract/contacts.ts";
import { SendctlError } from "../../../core/error.ts";
import type { Given } from "./contact-file.ts";
import { cut, shellWord, visibleText } from "../../../core/text.ts";

/** Obvious names of the columns in the files of others, as `plainName` has them. */
const synonyms: Readonly<Record<ContactColumn, readonly string[]>> = {
  phone: ["phone", "mobile", "mobile_phone", "telephone", "phone_number", "tel"],
  first_name: ["first_name", "firstname", "given_name"],
  birth_date: ["birth_date", "birthdate", "birthday", "date_of_birth"],
};

/** Returns a name of a column without case and invisible marks, and with underscores for spaces and hyphens. */
function plainName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, "")
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, "_");
}

/** The column that `--rejected` adds. */
export const reasonColumn = "reason";

/** Where the columns of a file are. */
export interface Header {
  readonly columns: readonly ContactColumn[];
  /** The index of the cell of each column. */
  readonly places: readonly number[];
  /** The names of all columns. */
  readonly header: readonly string[];
  /** Names of the columns that are not used. */
  readonly ignored: readonly string[];
}

/**
 * Reads the header: names in any order.
 *
 * @throws SendctlError "usage" for a column that is unknown, missing, or one of two
 */
export function readHeader(
  cells: readonly string[],
  { name, columns: given, command }: Given,
): Header {
  const width = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  const names = cells.slice(0, width).map((cell) => cell.trim());
  const found = names.map((cell) => visibleText(cut(cell))).join(", ");
  const refuse = (problem: string, hint: string): SendctlError =>
    new SendctlError("usage", `${name} ${problem}`, { hint });
  if (names.some((cell) => /^\+?\d[\d\s().-]{5,}$/.test(cell))) {
    const hint = `add a first line with names, such as: ${contactColumns.join(",")}`;
    throw refuse(`has no header: its first line is ${found}`, hint);
  }
  const pairs = given.map((value) => placeOf(value, names, found));
  const mapped = new Map(pairs);
  if (mapped.size < pairs.length || new Set(mapped.values()).size < pairs.length) {
    const hint = "pass one column for each field";
    const message = "--column names a field or a column twice";
    throw new SendctlError("usage", message, { hint, setting: "--column" });
  }
  const fields = names.map((cell, place) => {
    const own = [...mapped].find(([, at]) => at === place)?.[0];
    const known = contactColumns.find((column) => synonyms[column].includes(plainName(cell)));
    return own ?? (known !== undefined && mapped.has(known) ? undefined : known);
  });
  const places = contactColumns.map((column) => {
    const all = names.flatMap((_, place) => (fields[place] === column ? [place] : []));
    const [first, second] = all;
    if (second === undefined) return first;
    const two = `"${cut(names[first!]!)}" and "${cut(names[second]!)}"`;
    const choice = shellWord(`${column}=${names[first!]!}`);
    throw refuse(
      `has a duplicate column "${column}": ${two}`,
      `choose one: ${command} --column ${choice}`,
    );
  });
  const unknown = names.filter(
    (cell, place) => fields[place] === undefined && cell !== reasonColumn,
  );
  const recognized = fields.flatMap((field, place) =>
    field === undefined ? [] : [`${field} (${cut(names[place]!)})`],
  );
  if (unknown.length > 0 && mapped.size === 0) {
    const use = `phone=${places[0] === undefined ? likelyPhone(unknown) : names[places[0]]!}`;
    const verb = recognized.length === 1 ? "is" : "are";
    const problem = `has an unknown column "${cut(unknown[0]!)}"; its columns are ${found}, of which ${
      recognized.length === 0 ? "none is known" : `${recognized.join(", ")} ${verb} known`
    }`;
    throw refuse(problem, `ignore the others: ${command} --column ${shellWord(use)}`);
  }
  if (places[0] === undefined) {
    throw refuse(
      `has no "phone" column; its columns are ${found}`,
      `name it: ${command} --column phone=HEADER`,
    );
  }
  // In the order of the file, so that most lines are used as they are.
  const used = fields.flatMap((field, place) => (field === undefined ? [] : [{ field, place }]));
  return {
    columns: used.map(({ field }) => field),
    places: used.map(({ place }) => place),
    header: names,
    ignored: unknown,
  };
}

/** Returns the name of a column that may have phone numbers, or a word that stands for one. */
function likelyPhone(names: readonly string[]): string {
  const likely = names.filter((name) => /phone(?!tic)|mobile|\btel\b/i.test(name));
  return likely.find((name) => !/type|label/i.test(name)) ?? likely[0] ?? "HEADER";
}

/** Returns the field and the place of a value of `--column`. @throws SendctlError "usage" */
function placeOf(
  value: string,
  names: readonly string[],
  found: string,
): readonly [ContactColumn, number] {
  const at = value.indexOf("=");
  const field = contactColumns.find((column) => column === value.slice(0, at));
  const refuse = (problem: string, hint: string): SendctlError =>
    new SendctlError("usage", `--column ${visibleText(value)}: ${problem}`, {
      hint,
      setting: "--column",
    });
  if (field === undefined) {
    throw refuse(
      "is not FIELD=HEADER",
      `use one of ${contactColumns.join(", ")}, like phone=Mobile`,
    );
  }
  const header = value.slice(at + 1);
  const exact = names.indexOf(header.trim());
  const place =
    exact >= 0 ? exact : names.findIndex((name) => plainName(name) === plainName(header));
  if (place < 0) throw refuse("the file has no such column", `its columns are ${found}`);
  return [field, place];
}
