import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import type { Home } from "../support/home.ts";
import { test, type StartServe } from "../support/serving.ts";
import { textOf } from "./markdown.ts";

/** The commands and checks in the table of docs/remote.md. */
const rows = [...textOf("docs/remote.md").matchAll(/^\| `([a-z -]+)` +\| ([^|]+?) +\|/gm)].map(
  ([, command, check]) => ({ command: command!, check: /`sendctl (.*?)`/.exec(check!)?.[1] }),
);

const senderId = ["sender-id", "create", "ACME", "--purpose", "Orders"];
const group = ["group", "create", "Customers"];

interface Case {
  /** The command of the table. */
  readonly command: string;
  readonly before?: readonly string[];
  readonly lost: readonly string[];
  /** Default: the same. */
  readonly again?: readonly string[];
  /** Faults that keep the client from finding out by itself that the command was carried out. */
  readonly hidden: readonly string[];
  /** Exit codes of the check: if the command was not carried out, and if it was. */
  readonly checks: readonly [number, number];
  /** Exit code of the repetition of a command that was carried out. */
  readonly repeated?: number;
  /** The names of the records afterwards: if the command was not carried out, and if it was. */
  readonly names: readonly [readonly string[], readonly string[]];
}

const cases: readonly Case[] = [
  {
    command: "sender-id create",
    lost: senderId,
    again: [...senderId, "--if-not-exists"],
    hidden: ["sender-id.fetch:status=503,times=1"],
    checks: [4, 0],
    names: [["ACME"], ["ACME"]],
  },
  {
    command: "sender-id delete",
    before: senderId,
    lost: ["sender-id", "delete", "ACME", "--yes"],
    // The first fetch precedes the delete.
    hidden: ["sender-id.fetch:status=503,skip=1,times=1"],
    checks: [0, 4],
    repeated: 4,
    names: [[], []],
  },
  {
    command: "group delete",
    before: group,
    lost: ["group", "delete", "Customers", "--yes"],
    again: ["group", "delete", "1", "--yes"],
    hidden: ["group.fetch:status=503,skip=1,times=1"],
    checks: [0, 4],
    repeated: 4,
    names: [[], []],
  },
  {
    command: "group update",
    before: group,
    lost: ["group", "update", "Customers", "--name", "Clients"],
    again: ["group", "update", "1", "--name", "Clients"],
    hidden: [],
    checks: [0, 0],
    names: [["Clients"], ["Clients"]],
  },
  {
    command: "group create",
    lost: group,
    // It would create another group; the check lists those with that name.
    again: ["group", "list"],
    hidden: ["group.list:status=503,times=1"],
    checks: [0, 0],
    names: [[], ["Customers"]],
  },
  {
    command: "apply",
    lost: ["apply", "manifest.yaml", "--yes"],
    hidden: ["group.list:status=503,skip=1,times=1"],
    checks: [12, 0],
    names: [["Customers"], ["Customers"]],
  },
];

async function lose(home: Home, serve: StartServe, one: Case, drop: "before" | "after") {
  const operation = one.command === "apply" ? "group.create" : one.command.replace(" ", ".");
  const faults = [`${operation}:drop=${drop},times=1`, ...(drop === "after" ? one.hidden : [])];
  const service = await serve(["--port", "0", ...faults.flatMap((text) => ["--fault", text])]);
  const env = { ...service.client, SENDCTL_RETRIES: "0" };
  await writeFile(join(home.folder, "manifest.yaml"), "groups:\n  - name: Customers\n");
  if (one.before !== undefined) await home.run(one.before);
  return { env, exitCode: (await home.run(one.lost, env)).exitCode };
}

describe("the checks of docs/remote.md after exit 9", () => {
  test("are those that are tested here, and one more", ({ expect }) => {
    const tested = cases.map(({ command }) => command);
    expect(new Set(rows.map(({ command }) => command))).toStrictEqual(new Set([...tested, "api"]));
  });

  for (const one of cases) {
    for (const [index, drop] of (["before", "after"] as const).entries()) {
      const title = `${one.command} ${drop === "before" ? "not carried out" : "carried out"}`;
      test(title, async ({ home, serve, expect }) => {
        const { env, exitCode } = await lose(home, serve, one, drop);
        expect(exitCode).toBe(9);
        const { check } = rows.find(({ command }) => command === one.command)!;
        const args = check!.replace("12", "1").replace("FILE", "manifest.yaml").split(" ");
        expect((await home.run(args, env)).exitCode).toBe(one.checks[index]);
        const again = await home.run(one.again ?? one.lost, env);
        expect(again.exitCode).toBe(drop === "after" ? (one.repeated ?? 0) : 0);
        const noun = one.command.startsWith("sender-id") ? "sender-id" : "group";
        const listed = await home.run([noun, "list", "--query", "[].name", "-o", "json"]);
        expect(JSON.parse(listed.stdout)).toStrictEqual(one.names[index]);
      });
    }
  }
});
