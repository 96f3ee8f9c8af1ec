import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe } from "vitest";
import {
  dataOf,
  expectRefusals,
  keyOf,
  runAtTerminal,
  test,
  type Home,
} from "../../support/home.ts";
import { groupsOf } from "../../support/serving.ts";

/** Runs a command line and returns the data of its envelope. */
async function done(home: Home, line: string, env: Record<string, string> = {}): Promise<unknown> {
  const outcome = await home.run([...line.split(" "), "--json"], env);
  if (outcome.exitCode !== 0) throw new Error(`${line}: ${outcome.stderr}`);
  return dataOf(outcome);
}

/** Lists integrations without their creation times. */
async function integrations(home: Home): Promise<unknown> {
  const page = (await done(home, "local integration list")) as { data: Record<string, unknown>[] };
  return page.data.map((record) =>
    Object.fromEntries(Object.entries(record).filter(([field]) => field !== "created_at")),
  );
}

function integration(id: number, name: string, senderIds = 0, groups = 0, keys = 0) {
  const counts = { sender_ids_count: senderIds, groups_count: groups, keys_count: keys };
  return { id, name, ...counts };
}

describe.concurrent("local integration", () => {
  test("creates, lists and deletes", async ({ home, expect }) => {
    expect(await integrations(home)).toStrictEqual([integration(1, "default")]);
    expect(await done(home, "local integration create staging")).toStrictEqual({
      ...integration(2, "staging"),
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
    });
    expect(await integrations(home)).toStrictEqual([
      integration(2, "staging"),
      integration(1, "default"),
    ]);
    expect(await done(home, "local integration delete staging --yes")).toBeNull();
    expect(await integrations(home)).toStrictEqual([integration(1, "default")]);
    // Ids are not reused.
    expect(await done(home, "local integration create staging")).toMatchObject({ id: 3 });
  });

  test("prints records to stdout and messages to stderr", async ({ home, expect }) => {
    const created = await home.run(["local", "integration", "create", "staging"]);
    expect(created).toMatchObject({ exitCode: 0, stderr: "Integration created\n" });
    expect(created.stdout).toMatch(/^Name +staging$/m);
    const listed = await home.run(["local", "integration", "ls"]);
    expect(listed.stdout).toMatch(/^ID +Name +Sender IDs +Groups +Keys/);
    const deleted = await home.run(["local", "integration", "rm", "staging", "-y"]);
    expect(deleted).toStrictEqual({ exitCode: 0, stdout: "", stderr: "Integration deleted\n" });
  });

  test("rejects invalid, duplicate and unknown names", async ({ home, expect }) => {
    await done(home, "local integration create staging");
    const before = await integrations(home);
    await expectRefusals(expect, home, "local integration", [
      [["create", "staging"], 5, "staging"],
      [["create", "default"], 5, "default"],
      [["create", ""], 6, "name"],
      [["create", " staging"], 6, "name"],
      [["create", "a\nb"], 6, "name"],
      [["create"], 2, "NAME"],
      [["delete", "nothing", "--yes"], 4, "nothing"],
      [["delete", "default", "--yes"], 6, "name"],
      [["delete", "staging"], 2, "--yes"],
      [["delete", "--yes"], 2, "NAME"],
      [["list", "--base-url", "http://127.0.0.1:9"], 2, "--base-url"],
    ]);
    expect(await integrations(home)).toStrictEqual(before);
  });

  test("delete asks for confirmation", async ({ home, expect }) => {
    await done(home, "local integration create staging");
    const args = ["local", "integration", "delete", "staging"];
    const question = `Delete integration staging and its sender IDs, groups, contacts and keys from the database ${home.database}?`;
    const declined = await runAtTerminal(home, args, { columns: 400, keys: [[question, "\r"]] });
    expect(declined).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
    expect(declined.stderr).toContain("Nothing deleted");
    expect(await integrations(home)).toHaveLength(2);
    const confirmed = await runAtTerminal(home, args, { columns: 400, keys: [[question, "y\r"]] });
    expect(confirmed).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await integrations(home)).toHaveLength(1);
  });

  test("delete reports an unknown name without a question", async ({ home, expect }) => {
    const args = ["local", "integration", "delete", "nothing"];
    const outcome = await runAtTerminal(home, args, { keys: [["Delete", "y\r"]] });
    expect(outcome).toMatchObject({ exitCode: 4, keysLeft: 1 });
  });

  test("delete removes the records of that integration only", async ({ home, expect }) => {
    await done(home, "local integration create staging");
    const staging = await keyOf(home, "staging");
    const own = await keyOf(home, "default");
    for (const env of [staging, own, {}]) await done(home, "group create Friends", env);
    for (const env of [staging, own]) {
      await done(home, "sender-id create ACME --purpose Offers", env);
    }
    await done(home, "group update 1 --sender-id ACME", staging);
    expect(await integrations(home)).toStrictEqual([
      integration(2, "staging", 1, 1, 1),
      integration(1, "default", 1, 2, 1),
    ]);
    await done(home, "local integration delete staging --yes");
    expect(await integrations(home)).toStrictEqual([integration(1, "default", 1, 2, 1)]);
    const shutOut = await home.run(["group", "list"], staging);
    expect(shutOut).toMatchObject({ exitCode: 3, stdout: "" });
    expect((await groupsOf(home)).map(({ id }) => id)).toStrictEqual([3, 2]);
    // A new integration with the same name is empty.
    await done(home, "local integration create staging");
    expect(await groupsOf(home, await keyOf(home, "staging"))).toStrictEqual([]);
  });
});

describe.concurrent("local key", () => {
  test("is not created if its format or query would hide it", async ({ home, expect }) => {
    await expectRefusals(expect, home, "local key create", [
      [["--query", "id"], 2, "shown only once"],
      [["--query", "length(id)"], 2, "--query"],
    ]);
    expect((await home.run(["local", "key", "create", "-o", "id"])).exitCode).toBe(2);
    expect(await home.run(["local", "key", "list", "--query", "length(@)"])).toMatchObject({
      stdout: "0\n",
    });
    const shown = await home.run(["local", "key", "create", "--query", "secret_key"]);
    expect(shown.stdout).toMatch(/^sk_[\w-]{43}\n$/);
  });

  test("create shows the key only once", async ({ home, expect }) => {
    const created = (await done(home, "local key create")) as Record<string, unknown>;
    expect(created).toStrictEqual({
      id: 1,
      integration: "default",
      secret_key: expect.stringMatching(/^sk_[A-Za-z0-9_-]{43}$/),
      created_at: expect.stringMatching(/Z$/),
    });
    const secret = String(created["secret_key"]);
    const table = await home.run(["local", "key", "create"]);
    expect(table).toMatchObject({ exitCode: 0, stderr: "Key created\n" });
    const [second] = /sk_[A-Za-z0-9_-]{43}/.exec(table.stdout)!;
    expect(second).not.toBe(secret);

    const listed = (await done(home, "local key list")) as { data: unknown };
    expect(listed.data).toMatchObject([
      { id: 2, integration: "default", ending: second.slice(-4) },
      { id: 1, integration: "default", ending: secret.slice(-4) },
    ]);
    const shown = [JSON.stringify(listed), (await home.run(["local", "key", "ls"])).stdout].join();
    expect(shown).not.toContain("sk_");
    expect(shown).not.toContain(secret.slice(3, -4));
  });

  test("create shows the whole key although another is in the environment", async ({
    home,
    expect,
  }) => {
    const env = await keyOf(home, "default");
    const data = await done(home, "local key create", env);
    expect(data).toMatchObject({ secret_key: expect.stringMatching(/^sk_.{43}$/) });
  });

  test("selects the integration in embedded mode", async ({ home, expect }) => {
    await done(home, "local integration create staging");
    const staging = await keyOf(home, "staging");
    await done(home, "group create There", staging);
    await done(home, "group create Here");
    const names = async (env = {}) => (await groupsOf(home, env)).map(({ name }) => name);
    expect(await names(staging)).toStrictEqual(["There"]);
    expect(await names()).toStrictEqual(["Here"]);
    expect(await names({ SENDCTL_SECRET_KEY: "" })).toStrictEqual(["Here"]);
    expect(await names(await keyOf(home, "default"))).toStrictEqual(["Here"]);
    const hidden = await home.run(["group", "fetch", "2"], staging);
    expect(hidden.exitCode).toBe(4);
  });

  test("of another database is rejected and not shown", async ({ home, expect }) => {
    const foreign = `sk_${"x".repeat(43)}`;
    for (const args of ["group create Friends", "group list --json", "api GET /v1/group"]) {
      const refused = await home.run(args.split(" "), { SENDCTL_SECRET_KEY: foreign });
      expect(refused.exitCode).toBe(3);
      expect(refused.stdout + refused.stderr).not.toContain(foreign);
    }
    expect(await groupsOf(home)).toStrictEqual([]);
  });

  test("revoke rejects that key only", async ({ home, expect }) => {
    const [first, second] = [await keyOf(home, "default"), await keyOf(home, "default")];
    expect(await done(home, "local key revoke 1 --yes")).toBeNull();
    expect((await home.run(["group", "list"], first)).exitCode).toBe(3);
    expect((await home.run(["group", "list"], second)).exitCode).toBe(0);
    expect((await home.run(["local", "key", "revoke", "1"])).exitCode).toBe(4);
    // Ids are not reused.
    expect(await done(home, "local key create")).toMatchObject({ id: 3 });
  });

  test("revoke lets a person choose the key and asks for confirmation", async ({
    home,
    expect,
  }) => {
    const ending = (await keyOf(home, "default"))["SENDCTL_SECRET_KEY"]!.slice(-4);
    const args = ["local", "key", "revoke"];
    const question = `Revoke key 1 (integration default, ends in ${ending}) of the database ${home.database}?`;
    const revoke = (answer: string) =>
      runAtTerminal(home, args, {
        columns: 400,
        keys: [
          ["Which key?", ending],
          [`default · id 1 · ${ending}`, "\r"],
          [question, answer],
        ],
      });
    const declined = await revoke("\r");
    expect(declined).toMatchObject({ exitCode: 130, stdout: "", keysLeft: 0 });
    expect(await done(home, "local key list")).toMatchObject({ total: 1 });
    expect(await revoke("y\r")).toMatchObject({ exitCode: 0, keysLeft: 0 });
    expect(await done(home, "local key list")).toMatchObject({ total: 0 });
  });

  test("rejects unknown ids and integrations", async ({ home, expect }) => {
    await done(home, "local key create");
    await expectRefusals(expect, home, "local key", [
      [["create", "--integration", "nothing"], 4],
      [["create", "--integration", ""], 4],
      [["revoke", "2"], 4],
      [["revoke", "01"], 4],
      [["revoke", "1.0"], 4],
      [["revoke", "one"], 4],
      [["revoke", "99999999999999999999"], 4],
      [["revoke"], 2],
      // The key exists, but the command is not confirmed.
      [["revoke", "1"], 2],
      [["revoke", "1", "--base-url", "http://127.0.0.1:9"], 2],
    ]);
    expect(await done(home, "local key list")).toMatchObject({ total: 1, data: [{ id: 1 }] });
  });

  test("works on the embedded database even if SENDCTL_BASE_URL is set", async ({
    home,
    expect,
  }) => {
    const env = { SENDCTL_BASE_URL: "http://127.0.0.1:9" };
    expect(await done(home, "local key create", env)).toMatchObject({ id: 1 });
    expect(await done(home, "local integration create staging", env)).toMatchObject({ id: 2 });
    expect(await integrations(home)).toHaveLength(2);
  });

  test("is not stored in any file", async ({ home, expect }) => {
    const secrets = [await keyOf(home, "default"), await keyOf(home, "default")].map(
      (env) => env["SENDCTL_SECRET_KEY"]!,
    );
    await done(home, "group create Friends", { SENDCTL_SECRET_KEY: secrets[0]! });
    await done(home, "local key revoke 2 --yes");
    const folder = dirname(home.database);
    const files = await readdir(folder);
    expect(files).toContain("sendctl.db");
    for (const file of files) {
      const bytes = await readFile(join(folder, file));
      for (const secret of secrets) {
        expect(bytes.includes(secret.slice(3, -4))).toBe(false);
        expect(bytes.includes(Buffer.from(secret.slice(3), "base64url"))).toBe(false);
      }
    }
  });
});

test("local info and history print no message beside what they show", async ({ home, expect }) => {
  await home.run(["group", "create", "A"]);
  for (const line of ["local info", "history 1", "history"]) {
    expect((await home.run(line.split(" "))).stderr, line).toBe("");
    expect((await home.run([...line.split(" "), "--json"])).stdout, line).not.toMatch(
      /(?:Database|Entry) retrieved/,
    );
  }
});
