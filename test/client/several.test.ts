import { describe, test } from "vitest";
import { envelope, group } from "./sample-responses.ts";
import { runAgainst, stopping } from "./run-remote.ts";

const deleted = envelope(null);

/** Returns the response with the group of a path. */
const groupOf = (path: string): object =>
  envelope({ ...group, id: Number(path.slice(path.lastIndexOf("/") + 1)) });

interface Deleted {
  readonly data: {
    readonly deleted: readonly string[];
    readonly failed: readonly { readonly record: string; readonly kind: string }[];
  };
  readonly error: { readonly kind: string };
}

describe("several groups of a remote service", () => {
  test.for([
    ["SIGINT", 130, "cancelled"],
    ["SIGTERM", 143, "terminated"],
    ["SIGHUP", 129, "hung_up"],
    ["SIGQUIT", 131, "quit"],
  ] as const)(
    "are reported as deleted, unknown or not deleted after %s",
    async ([signal, exitCode, kind], { expect }) => {
      const { stop, stopWith } = stopping(signal);
      const ids = Array.from({ length: 30 }, (_, index) => String(index + 1));
      let deletes = 0;
      const result = await runAgainst(
        ({ method, target }, { respond }) => {
          if (method === "GET") return respond(200, groupOf(target));
          deletes += 1;
          if (deletes === 1) respond(200, deleted);
          // At most 16 are sent at once, so the client has read the response to the first one.
          if (deletes === 17) stop();
        },
        ["group", "delete", "-", "--yes", "--json"],
        { stdin: ids.join("\n"), stopWith },
      );
      expect(result.exitCode).toBe(exitCode);
      const { data, error } = JSON.parse(result.stdout) as Deleted;
      expect(error.kind).toBe(kind);
      expect(data.deleted).toHaveLength(1);
      expect(data.failed).toHaveLength(29);
      expect(new Set(data.failed.map((failed) => failed.kind))).toStrictEqual(new Set([kind]));
      expect(result.stderr).toMatch(
        /^1 of 30 groups deleted: 1\nOutcome unknown: \d+(?:, \d+)+\nNot deleted: /m,
      );
      expect(deletes).toBeLessThan(30);
      expect(result.violations).toStrictEqual([]);
    },
  );

  test("end with the code of a signal, even after another failure", async ({ expect }) => {
    const { stop, stopWith } = stopping();
    const result = await runAgainst(
      ({ method, target }, { respond }) => {
        if (target.endsWith("/1")) return respond(404, { status: false, message: "Gone" });
        if (method === "GET") return respond(200, groupOf(target));
        return stop();
      },
      ["group", "delete", "1", "2", "--yes", "--json"],
      { stopWith },
    );
    expect(result.exitCode).toBe(130);
    expect((JSON.parse(result.stdout) as Deleted).error.kind).toBe("cancelled");
  });

  test("are left alone once the key is rejected, and the report has those that were deleted", async ({
    expect,
  }) => {
    const ids = Array.from({ length: 60 }, (_, index) => String(index + 1));
    const result = await runAgainst(
      ({ method, target }, { respond }) => {
        if (method === "GET") return respond(200, groupOf(target));
        if (Number(target.split("/").at(-1)) <= 5) return respond(200, deleted);
        return respond(401, { status: false, message: "Expired", data: null });
      },
      ["group", "delete", ...ids, "--yes", "--json"],
    );
    expect(result.exitCode).toBe(3);
    const { data } = JSON.parse(result.stdout) as Deleted;
    expect(data.deleted).toStrictEqual(ids.slice(0, 5));
    expect(data.failed.map(({ record }) => record)).toStrictEqual(ids.slice(5));
    const deletes = result.requests.filter((line) => line.startsWith("DELETE"));
    expect(deletes.length).toBeLessThan(30);
  });
});
