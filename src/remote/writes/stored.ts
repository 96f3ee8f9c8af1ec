import { jsonText } from "../../contract/text/json-text.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { SendctlError, type StoredDifference } from "../../contract/error.ts";

/** Returns the fields whose values differ from those sent: specification, part 4, rule 2. */
export function storedDifferences(sent: ShownRecord, record: ShownRecord): StoredDifference[] {
  return Object.entries(sent).flatMap(([field, value]) => {
    const stored = record[field] ?? null;
    return jsonText(value) === jsonText(stored) ? [] : [{ field, sent: value, stored }];
  });
}

/** Returns the error for differing fields. @param record the service's record after the write */
export function storedDifferently(
  host: string,
  differences: readonly StoredDifference[],
  record: ShownRecord,
): SendctlError {
  const texts = differences.map(
    ({ field, sent, stored }) =>
      `${field} was sent as ${jsonText(sent)}, stored as ${jsonText(stored)}`,
  );
  return new SendctlError(
    "unexpected_response",
    `${host} stored different values: ${texts.join("; ")}`,
    { stored: differences, record },
  );
}
