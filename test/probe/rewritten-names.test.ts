import { describe, onTestFinished } from "vitest";
import { test } from "../support/home.ts";
import { liveService } from "../client/apply/apply-remote.ts";
import { runOn } from "../client/run-remote.ts";
import { startService } from "../client/scripted-service.ts";

const rewrites = {
  "cuts names off at 20 characters": (name: string) => name.slice(0, 20),
  "removes dashes": (name: string) => name.replaceAll("-", " "),
};

describe.for(Object.entries(rewrites))("a service that %s", ([, rewrite]) => {
  test("has no group left of a probe, or one that the probe reports", async ({ home, expect }) => {
    let deletes = true;
    const { script, tables } = liveService({
      stored: (record) => ({ ...record, name: rewrite(String(record["name"])) }),
      instead: ({ method, target }, { respond }) => {
        if (!/^\/v1\/(?:group|sender-id)\b/.test(target)) {
          respond(404, { status: false, message: "Unknown path", data: null });
          return true;
        }
        if (method !== "DELETE" || deletes) return false;
        respond(500, { status: false, message: "Not now", data: null });
        return true;
      },
    });
    const service = await startService(script);
    onTestFinished(service.close);
    const run = (...args: readonly string[]): ReturnType<typeof runOn> =>
      runOn(service, args, { home: home.folder });
    expect(await run("probe", "--scratch-group", "--yes")).toMatchObject({ exitCode: 0 });
    expect(tables.group).toStrictEqual([]);
    deletes = false;
    const left = await run("probe", "--scratch-group", "--yes");
    const [group, ...others] = tables.group;
    expect(others).toStrictEqual([]);
    expect(left.stderr).toMatch(`(id ${String(group!["id"])}) was not deleted`);
    expect(left.stderr).toContain(`hint: sendctl group delete ${String(group!["id"])} `);
    expect(left.stdout).toContain("the service stores names in another form");
  });
});
