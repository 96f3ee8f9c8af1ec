import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { test, type Home } from "../support/home.ts";
import { answering, envelope, group } from "../client/sample-responses.ts";
import { runAgainst } from "../client/run-remote.ts";

/** The methods of `api`: whether each is a read, and how often a 503 that is not the service's is sent in all. */
const methods = [
  ["GET", true, 3],
  ["HEAD", true, 3],
  ["POST", false, 1],
  ["PUT", false, 3],
  ["PATCH", false, 1],
  ["DELETE", false, 1],
  ["OPTIONS", false, 1],
] as const;

const path = "/v1/group/12";
const journalOf = ({ folder }: Home): string => {
  try {
    return readFileSync(join(folder, ".local", "state", "sendctl", "history.jsonl"), "utf8");
  } catch {
    return "";
  }
};

describe.for(methods)("api %s", ([method, isRead, attempts]) => {
  const call = ["api", method, path];

  test.for([{ SENDCTL_READ_ONLY: "1" }, { SENDCTL_READ_ONLY: "yes" }])(
    "with %j is refused if it is not a read",
    async (env, { home, expect }) => {
      const options = { home: home.folder, env };
      const result = await runAgainst(answering(200, envelope(group)), call, options);
      expect(result, result.stderr).toMatchObject({ exitCode: isRead ? 0 : 2, violations: [] });
      expect(result.received).toHaveLength(isRead ? 1 : 0);
    },
  );

  test("with SENDCTL_READ_ONLY=off is sent", async ({ home, expect }) => {
    const options = { home: home.folder, env: { SENDCTL_READ_ONLY: "off" } };
    const result = await runAgainst(answering(200, envelope(group)), call, options);
    expect(result).toMatchObject({ exitCode: 0, requests: [`${method} ${path}`], violations: [] });
    expect(/^→ /m.test(result.stderr)).toBe(!isRead);
    expect(journalOf(home).includes(`api ${method}`)).toBe(!isRead);
  });

  test("is repeated after a gateway's 503 if that is safe", async ({ home, expect }) => {
    const result = await runAgainst(answering(503, "<html>"), call, { home: home.folder });
    expect(result.received).toHaveLength(attempts);
    expect(result.exitCode).toBe(isRead ? 8 : 9);
  });
});
