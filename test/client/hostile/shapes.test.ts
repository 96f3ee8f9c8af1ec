import { describe, expect, test } from "vitest";
import { answering, envelope, group, page, senderId } from "../sample-responses.ts";
import { runAgainst, type RunOptions } from "../run-remote.ts";

/** Found by test/fuzz/remote.test.ts. */
const runWith = (body: unknown, line: string, options: RunOptions = {}) =>
  runAgainst(answering(200, body), line.split(" "), options);

const { created_at: _, ...ageless } = group;
const { status: __, ...unreviewed } = senderId;

describe("missing fields", () => {
  test("created_at is a dash", async () => {
    for (const line of ["group list", "group list --all"]) {
      const { exitCode, stdout, violations } = await runWith(envelope(page([ageless])), line);
      expect(violations).toEqual([]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^12 .* -$/m);
    }
  });

  test("status is a dash", async () => {
    const list = await runWith(envelope(page([unreviewed])), "sender-id list");
    expect(list.violations).toEqual([]);
    expect(list.stdout).toMatch(/Order updates +- /);
    const waited = await runAgainst(
      (received, { respond, index }) =>
        index < 2 ? respond(200, envelope(unreviewed)) : respond(404),
      ["sender-id", "wait", "ACME", "--for", "APPROVED"],
      { neverEnds: 60_000, terminal: 80 },
    );
    expect(waited.violations).toEqual([]);
    expect(waited.received).toHaveLength(3);
    expect(waited.exitCode).toBe(4);
  });
});

describe("a value nested thousands deep", () => {
  const nested = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const text = JSON.stringify(envelope({ ...group, name: 0 })).replace(
    '"name":0',
    `"name":${nested}`,
  );

  test("is printed unchanged by api", async () => {
    const { exitCode, stdout, violations } = await runWith(text, "api GET /v1/group/12");
    expect(violations).toEqual([]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${text}\n`);
  });

  test.each(["group fetch 12 --json", "group preview 12"])("is refused by %s", async (line) => {
    const { exitCode, violations } = await runWith(text, line);
    expect(violations).toEqual([]);
    expect(exitCode).toBe(10);
  });
});

test("a record on several lines is one line of jsonl", async () => {
  const text = JSON.stringify(envelope(page([group, group])), null, 2).replaceAll("\n", "\r\n");
  const { stdout } = await runWith(text, "group list -o jsonl");
  const records = stdout.split("\n").map((line) => line && (JSON.parse(line) as unknown));
  expect(records).toStrictEqual([group, group, ""]);
});
