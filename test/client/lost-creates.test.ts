import { describe, test } from "vitest";
import { answering, envelope, group, page, senderId } from "./sample-responses.ts";
import { runAgainst, type RemoteRun } from "./run-remote.ts";
import type { Script } from "./scripted-service.ts";

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

/** What comes in place of the response to a create that may have succeeded. */
const losses = {
  "connection lost": (_, { hangUp }) => hangUp(),
  "gateway page": answering(502, "<html><h1>502 Bad Gateway</h1></html>"),
  "empty response": answering(201, ""),
} as const satisfies Readonly<Record<string, Script>>;

/** Loses the response to a create, and responds to the lookup with these records; or refuses it. */
function createAgainst(
  loss: keyof typeof losses,
  noun: keyof typeof nouns,
  found: readonly object[] | "refused" | "HTML",
): Promise<RemoteRun> {
  return runAgainst(
    (received, conversation) => {
      const { method, target } = received;
      const { respond } = conversation;
      if (method === "POST") return losses[loss](received, conversation);
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

const cases = (Object.keys(losses) as (keyof typeof losses)[]).flatMap((loss) =>
  (Object.keys(nouns) as (keyof typeof nouns)[]).map((noun) => [loss, noun] as const),
);

describe.for(cases)("after a %s, a create of a %s", ([loss, noun]) => {
  const [, record] = nouns[noun];
  const { id, created_at } = record;
  const other = { ...record, id: 3, created_at: "2025-12-31T08:00:00.000000Z" };
  const rows = [
    ["no record", [], "not_found", [], /; found no/],
    ["one record", [record], "found", [{ id, created_at }], new RegExp(`\\(id ${id}\\), created `)],
    ["another record", [{ ...record, purpose: "C" }], "found", [{ id }], /found/],
    ["a failed lookup", "refused", "failed", [], /the lookup failed: .*403/],
    ["an invalid response", "HTML", "failed", [], /the lookup failed/],
    ...(noun === "group"
      ? ([
          ["several", [record, other], "found", [{ id }, { id: 3 }], /found 2 groups/],
          [
            "a name that is the same for people",
            [{ ...record, name: " a" }],
            "found",
            [{ id }],
            /found group " a" \(id/,
          ],
        ] as const)
      : []),
  ] as const;
  test.for(rows)("reports what one lookup found: %s", async ([, found, ...wanted], { expect }) => {
    const result = await createAgainst(loss, noun, found);
    const [outcome, records, message] = wanted;
    expect(result).toMatchObject({ exitCode: 9, waits: [], violations: [] });
    expect(result.requests.filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect(result.stderr).toMatch(message);
    const { error } = JSON.parse(result.stdout) as Failed;
    expect(error.lookup).toMatchObject({ result: outcome, records });
    expect(error.hint).toContain(checks[noun]);
  });
});

test.for(["", ".", ".."])(
  "no lookup asks for a name that no path can have: '%s'",
  async (name, { expect }) => {
    const argv = ["sender-id", "create", name, "--purpose", "B"];
    const result = await runAgainst(losses["connection lost"], argv);
    expect(result).toMatchObject({ exitCode: 9, requests: ["POST /v1/sender-id"], violations: [] });
  },
);

describe("api POST", () => {
  const post = ["api", "POST", "/v1/group", "--body", '{"name":"A"}', "--json"];

  test.for(Object.keys(losses) as (keyof typeof losses)[])(
    "is sent once: %s",
    async (loss, { expect }) => {
      const result = await runAgainst(losses[loss], post);
      expect(result).toMatchObject({ exitCode: 9, requests: ["POST /v1/group"], violations: [] });
      expect(result.stderr).toMatch(/^hint: .*sendctl api GET \/v1\/group/m);
    },
  );

  test("is not of unknown outcome if the service itself refuses it", async ({ expect }) => {
    const result = await runAgainst(
      answering(503, { status: false, message: "Not now", data: null }),
      post,
    );
    expect(result).toMatchObject({ exitCode: 8, requests: ["POST /v1/group"], violations: [] });
    expect(result.stderr).toContain("Not now");
  });
});

test.for([
  ["--send-holiday", "not set: send_holiday"],
  ["--send-holiday --sender-id 7", "not set: send_holiday, sender_id"],
])(
  "a lost create of a group with %s says what was not sent",
  async ([options, text], { expect }) => {
    const args = ["group", "create", "A", ...options!.split(" "), "--json"];
    const { exitCode, stdout, stderr, requests } = await runAgainst(
      ({ method }, { respond, hangUp }) =>
        method === "POST" ? hangUp() : respond(200, envelope(page([]))),
      args,
    );
    expect(exitCode).toBe(9);
    expect(requests).not.toContainEqual(expect.stringMatching(/^PUT/));
    expect(stderr).toContain(`; found no group named "A"; ${text}\n`);
    const { error } = JSON.parse(stdout) as { readonly error: object };
    expect(error).toMatchObject({ kind: "outcome_unknown", lookup: { result: "not_found" } });
  },
);

test("a create that is stored with other values has the record in JSON", async ({ expect }) => {
  const { exitCode, stdout } = await runAgainst(
    (_, { respond }) => respond(201, envelope({ ...group, name: "A", send_birthday: false })),
    ["group", "create", "A", "--send-birthday", "--json"],
  );
  expect(exitCode).toBe(10);
  expect(JSON.parse(stdout)).toMatchObject({
    data: { id: group.id, send_birthday: false },
    error: { kind: "unexpected_response" },
  });
});
