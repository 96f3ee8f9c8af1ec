import { describe, test } from "vitest";
import { envelope, group, page, senderId } from "./sample-responses.ts";
import { runAgainst, type RemoteRun } from "./run-remote.ts";

/** A lost create of each noun, and the record that has its name and values. */
const nouns = {
  group: [["group", "create", "A"], { ...group, name: "A" }],
  "sender ID": [
    ["sender-id", "create", "A", "--purpose", "B"],
    { ...senderId, name: "A", purpose: "B" },
  ],
} as const;

const checks = {
  group: "sendctl group list --name A",
  "sender ID": "sendctl sender-id fetch A",
} as const;

/** Loses the response to a create, and responds to the lookup with these records; or refuses it. */
function createAgainst(
  noun: keyof typeof nouns,
  found: readonly object[] | "refused" | "HTML",
): Promise<RemoteRun> {
  return runAgainst(
    ({ method, target }, { respond, hangUp }) => {
      if (method === "POST") return hangUp();
      if (found === "refused") return respond(403, { status: false, message: "No", data: null });
      if (found === "HTML") return respond(200, "<html>");
      if (!target.startsWith("/v1/sender-id/")) return respond(200, envelope(page(found)));
      return found.length === 0 ? respond(404) : respond(200, envelope(found[0]));
    },
    [...nouns[noun][0], "--json"],
  );
}

interface Failed {
  readonly error: { readonly hint: string; readonly lookup?: object };
}

describe.for(Object.keys(nouns) as (keyof typeof nouns)[])("a lost create of a %s", (noun) => {
  const [, record] = nouns[noun];
  const { id, created_at } = record;
  const other = { ...record, id: 3, created_at: "2025-12-31T08:00:00.000000Z" };
  const rows = [
    ["no record", [], "not_found", [], /a lookup found no/],
    ["one record", [record], "found", [{ id, created_at }], new RegExp(`: ${id} \\(created at`)],
    ["another record", [{ ...record, purpose: "C" }], "found", [{ id }], /found/],
    ["a failed lookup", "refused", "failed", [], /the lookup failed: .*403/],
    ["an invalid response", "HTML", "failed", [], /the lookup failed/],
    ...(noun === "group"
      ? [["several", [record, other], "found", [{ id }, { id: 3 }], /found 2 groups/] as const]
      : []),
  ] as const;
  test.for(rows)("reports what one lookup found: %s", async ([, found, ...wanted], { expect }) => {
    const result = await createAgainst(noun, found);
    const [outcome, records, message] = wanted;
    expect(result).toMatchObject({ exitCode: 9, waits: [], violations: [] });
    expect(result.requests.filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(result.stderr).toMatch(message);
    const { error } = JSON.parse(result.stdout) as Failed;
    expect(error.lookup).toMatchObject({ result: outcome, records });
    expect(error.hint).toContain(checks[noun]);
  });
});
