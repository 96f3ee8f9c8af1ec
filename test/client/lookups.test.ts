import { describe } from "vitest";
import { test, type Home } from "../support/home.ts";
import { liveService } from "./apply/apply-remote.ts";
import { runnerOf } from "./run-remote.ts";
import { group } from "./sample-responses.ts";

const { uuid } = group;

/** Starts a service that finds groups by id alone. */
async function start(home: Home) {
  const { script, tables } = liveService({ groups: [group] });
  const run = await runnerOf(home, script);
  return { tables, run };
}

describe("a uuid that the service answers with 404", () => {
  test.for([
    ["group", "fetch", uuid],
    ["group", "fetch", uuid.toUpperCase(), "-o", "id"],
    ["group", "update", uuid, "--name", "New"],
    ["group", "rename", uuid, "New"],
    ["group", "delete", uuid, "--yes"],
    ["group", "delete", uuid, uuid, "--yes"],
  ])("is looked up in the list: %j", async (args, { home, expect }) => {
    const { run, tables } = await start(home);
    const ran = await run(...args);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, violations: [] });
    expect(tables.group.length).toBe(args[1] === "delete" ? 0 : 1);
  });

  test("is not found if no list has it", async ({ home, expect }) => {
    const { run } = await start(home);
    const other = "aaaaaaaa-0000-4000-8000-000000000000";
    expect(await run("group", "fetch", other)).toMatchObject({ exitCode: 4, violations: [] });
    expect(await run("group", "delete", other, "--yes")).toMatchObject({ exitCode: 4 });
  });
});
