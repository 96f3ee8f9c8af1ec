import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "../support/home.ts";
import { runProbe } from "./run-probe.ts";

// Over HTTP, round-trip.test.ts has every switch with every value, also the engine's own.
test("the engine in this process behaves like its rulings", async ({
  home: { folder },
  expect,
}) => {
  const group = ["group", "create", "Customers"];
  expect((await runProbe(group, { folder })).exitCode).toBe(0);
  await runProbe(["sender-id", "create", "ACME", "--purpose", "Orders"], { folder });
  const run = await runProbe(["probe", "--scratch-group", "--json"], { folder });
  expect(run.exitCode, run.stderr).toBe(0);
  const others = run.data!.rulings.filter(({ verdict }) => verdict !== "same");
  expect(others.filter(({ reason }) => !reason!.startsWith("not observable"))).toStrictEqual([]);
  expect(run.data!.rulings.length - others.length).toBeGreaterThan(30);
  const listed = await runProbe(["group", "list", "-o", "id"], { folder });
  expect(listed.stdout).toBe("1\n");
});

test("without --scratch-group, no database is created", async ({ home: { folder }, expect }) => {
  const run = await runProbe(["probe", "--json"], { folder });
  expect(run.exitCode, run.stderr).toBe(0);
  expect(Object.keys(run.data!.requests)).toStrictEqual(["GET"]);
  expect(existsSync(join(folder, ".local"))).toBe(false);
});
