import type { OperationName } from "../../contract/operations.ts";
import type { Lookup } from "../../contract/error.ts";
import { jsonText } from "../../contract/text/json-text.ts";
import type { ShownRecord } from "../../contract/service.ts";

/** Maximum number of records that a message names. */
const maxNamed = 5;

const nouns = { "group.create": "group", "sender-id.create": "sender ID" } as const;

/**
 * Describes the records with the name of a create whose outcome is unknown, newest first.
 *
 * @param areOlder whether all of them are older than the request
 */
export function lookupOf(
  name: OperationName & keyof typeof nouns,
  sent: ShownRecord,
  found: readonly ShownRecord[],
  areOlder = false,
): Lookup {
  const noun = nouns[name];
  const wanted = jsonText(sent["name"] ?? null);
  if (found.length === 0) {
    const message = `a lookup found no ${noun} named ${wanted}`;
    return { result: "not_found", message, records: [] };
  }
  const records = found
    // JSON.stringify refuses a bigint.
    .map(({ id = null, created_at = null }) => ({
      id: typeof id === "bigint" ? String(id) : id,
      created_at,
    }))
    .toSorted((one, other) => -compareTexts(String(one.created_at), String(other.created_at)));
  const named = records
    .slice(0, maxNamed)
    .map(({ id, created_at }) => `${plain(id)} (created at ${plain(created_at)})`);
  const more = records.length > maxNamed ? ` and ${records.length - maxNamed} more` : "";
  const what = records.length === 1 ? `the ${noun}` : `${records.length} ${noun}s`;
  const seen = areOlder
    ? `a lookup found no new ${noun} named ${wanted}, only ${what} created before`
    : `a lookup found ${what} named ${wanted}`;
  const message = `${seen}: ${named.join(", ")}${more}`;
  return { result: "found", message, records };
}

/** Describes a lookup that failed. @param reason one line */
export function failedLookup(reason: string): Lookup {
  return { result: "failed", message: `the lookup failed: ${reason}`, records: [] };
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value ?? null);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
