import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { groupCases, stockedGroups } from "./group-operations.ts";
import type { OperationCase } from "./operation-case.ts";
import { contentsOf, dataOf, makeHome, normalised, test, type Home } from "../../support/home.ts";
import { senderIdCases, stockedSenderIds } from "./sender-id-operations.ts";

/** A database filled by the program itself; each test gets a copy. */
const stock = join(tmpdir(), `sendctl-stock-${randomUUID()}.db`);

beforeAll(async () => {
  const home = await makeHome();
  for (const args of [...stockedSenderIds, ...stockedGroups]) {
    const { exitCode, stderr } = await home.run(args);
    if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  }
  await copyFile(home.database, stock);
  await rm(home.folder, { recursive: true });
}, 30_000);

afterAll(() => rm(stock, { force: true }));

async function given(
  home: Home,
  { empty }: Pick<OperationCase, "empty"> = { empty: false },
): Promise<void> {
  if (empty) return;
  await mkdir(dirname(home.database), { recursive: true });
  await copyFile(stock, home.database);
}

const cases = [...senderIdCases, ...groupCases].flatMap((one) => {
  const title = `${one.args.join(" ").slice(0, 80)}${one.empty ? ", without a database" : ""}`;
  return [
    [title, { ...one, expected: one.table }],
    [`${title} --json`, { ...one, args: ["--json", ...one.args], expected: one.json }],
  ] as const;
});

describe.concurrent("the output and the database of", () => {
  test.for(cases)("%s", async ([, one], { home, expect }) => {
    await given(home, one);
    const before = contentsOf(home.database);
    const outcome = await home.run(one.args);
    expect(normalised(outcome)).toStrictEqual({ exitCode: one.exitCode, ...one.expected });
    if (one.exitCode !== 0) expect(contentsOf(home.database)).toStrictEqual(before);
  });
});

describe.concurrent("the database after a command", () => {
  test("returns a group as it was updated, by id and by uuid", async ({ home, expect }) => {
    await given(home);
    const change = ["--name", "Clients", "--no-send-holiday", "--birthday-message", "Hi"];
    const updated = await home.run(["group", "update", "2", ...change, "--json"]);
    const record = dataOf(updated) as { uuid: string };
    expect(record).toMatchObject({ name: "Clients", send_holiday: false, birthday_message: "Hi" });

    for (const key of ["2", record.uuid, record.uuid.toUpperCase()]) {
      const fetched = await home.run(["group", "fetch", key, "--json"]);
      expect(dataOf(fetched)).toStrictEqual(record);
    }
  });

  test("is a single file", async ({ home, expect }) => {
    for (const args of [
      ["group", "create", "Friends"],
      ["group", "list"],
      ["group", "fetch", "9"],
      ["group", "list", "--page", "x"],
    ]) {
      await home.run(args);
      expect(await readdir(dirname(home.database))).toStrictEqual(["sendctl.db"]);
    }
  });

  test("keeps a group whose sender ID was deleted", async ({ home, expect }) => {
    await given(home);
    const before = await home.run(["group", "fetch", "2", "--json"]);
    expect((await home.run(["sender-id", "delete", "ACME", "--yes"])).exitCode).toBe(0);

    const after = await home.run(["group", "fetch", "2", "--json"]);
    expect(after).toStrictEqual(before);
    expect(contentsOf(home.database)).toMatchObject([
      [{ name: "Bakery" }],
      [
        { id: 1, sender_id: null },
        { id: 2, sender_id: null },
      ],
    ]);
  });

  test("has the sender ID of a group set, replaced and removed", async ({ home, expect }) => {
    await given(home);
    const senderOf = () => (contentsOf(home.database) as [unknown, { sender_id: number }[]])[1][1];
    expect(senderOf()).toMatchObject({ sender_id: 1 });
    await home.run(["group", "update", "2", "--sender-id", "Bakery"]);
    expect(senderOf()).toMatchObject({ sender_id: 2 });
    await home.run(["group", "update", "2", "--send-birthday"]);
    expect(senderOf()).toMatchObject({ sender_id: 2 });
    await home.run(["group", "update", "2", "--clear-sender-id"]);
    expect(senderOf()).toMatchObject({ sender_id: null });
  });
});
