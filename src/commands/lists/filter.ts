import { groupFields, namesOf, senderIdFields, type Fields } from "../../contract/resources.ts";
import { normalized } from "../../contract/text/alike.ts";
import type { ShownRecord } from "../../contract/service.ts";
import type { FurtherOptions } from "../common-options.ts";
import { emptyValue } from "../arguments.ts";

/** Returns whether a record matches. */
export type Matches = (record: ShownRecord) => boolean;

/** Fields with generated text, which `--search` ignores. */
const generated = new Set(
  [groupFields, senderIdFields].flatMap((fields: Fields) =>
    namesOf(fields, ({ type }) => type === "uuid" || type === "timestamp"),
  ),
);

/** Returns a filter that combines all filter options; undefined if there are none. */
export function filterOf({ search, name, status }: FurtherOptions): Matches | undefined {
  if (search === "") throw emptyValue("--search", "pass the text to search for");
  const parts: Matches[] = [];
  if (name !== undefined) parts.push((record) => record["name"] === name);
  if (status !== undefined) {
    const wanted = comparable(status);
    parts.push((record) => comparable(String(record["status"])) === wanted);
  }
  if (search !== undefined) parts.push(containing(comparable(search)));
  if (parts.length === 0) return undefined;
  return (record) => parts.every((matches) => matches(record));
}

/** Returns a filter for a text in any text field. */
function containing(wanted: string): Matches {
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

/** Returns a text in lower case with composed characters, because some systems write é as two characters. */
function comparable(text: string): string {
  return normalized(text, "NFC").toLowerCase();
}
