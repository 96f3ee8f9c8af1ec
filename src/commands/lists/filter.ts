import { groupFields, namesOf, senderIdFields, type Fields } from "../../contract/resources.ts";
import type { ShownRecord } from "../../contract/service.ts";
import type { FurtherOptions } from "../common-options.ts";
import { emptyValue } from "../arguments.ts";

/** Returns whether a record is wanted. */
export type Matches = (record: ShownRecord) => boolean;

/** Fields whose text nobody has written. */
const generated = new Set(
  [groupFields, senderIdFields].flatMap((fields: Fields) =>
    namesOf(fields, ({ type }) => type === "uuid" || type === "timestamp"),
  ),
);

/** Returns the filter that options ask for, all of whose parts apply; undefined where they ask for none. */
export function filterOf({ search, name, status }: FurtherOptions): Matches | undefined {
  if (search === "") throw emptyValue("--search", "pass the text to look for");
  const parts: Matches[] = [];
  if (name !== undefined) parts.push((record) => record["name"] === name);
  if (status !== undefined) {
    const wanted = comparable(status);
    parts.push((record) => comparable(String(record["status"])) === wanted);
  }
  if (search !== undefined) parts.push(holding(comparable(search)));
  if (parts.length === 0) return undefined;
  return (record) => parts.every((matches) => matches(record));
}

/** Returns what finds a text in any text field. */
function holding(wanted: string): Matches {
  return (record) => {
    for (const field in record) {
      const value = record[field];
      if (
        typeof value === "string" &&
        !generated.has(field) &&
        comparable(value).includes(wanted)
      ) {
        return true;
      }
    }
    return false;
  };
}

/** Returns a text in lower case, its characters composed: some keyboards and files write é as two characters. */
function comparable(text: string): string {
  return text.normalize().toLowerCase();
}
