import { assert, asyncProperty, constantFrom, record, string } from "fast-check";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { test, type Home } from "../support/home.ts";
import { liveService, openLive } from "./apply/apply-remote.ts";
import { key, runAgainst, runOn, runnerOf } from "./run-remote.ts";
import { envelope, group } from "./sample-responses.ts";
import { startService } from "./scripted-service.ts";

type Stored = Readonly<Record<string, unknown>>;

async function start(home: Home, groups: readonly Stored[], secret = key) {
  const { script, tables } = liveService({ groups });
  const env = { SENDCTL_SECRET_KEY: secret };
  const run = await runnerOf(home, script, { env });
  return { tables, run };
}

describe("a record in which the key occurs", () => {
  const message = `use code ${key}, {first_name}`;

  test.for([
    ["group", "update", "12", "--no-send-birthday"],
    ["group", "rename", "12", "Renamed"],
  ])("keeps it in an update of another field: %j", async (args, { home, expect }) => {
    const { run, tables } = await start(home, [{ ...group, birthday_message: message }]);
    const ran = await run(...args);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(tables.group).toMatchObject([{ birthday_message: message }]);
    expect(ran.stdout + ran.stderr).not.toContain(key);
  });

  test("is left out of an export, which would write what is hidden back", async ({
    home,
    expect,
  }) => {
    const second = { ...group, id: 13, name: "Second" };
    const { run } = await start(home, [{ ...group, birthday_message: message }, second]);
    const ran = await run("export");
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(ran.stdout).toContain("- name: Second");
    expect(ran.stdout).not.toMatch(/hidden|- name: Customers/);
    expect(ran.stderr).toContain('Customers" (id 12): it contains the secret key');
  });

  test("keeps it in an apply, whose state does not have it", async ({ home, expect }) => {
    const { apply, tables } = await openLive(home, {
      groups: [{ ...group, birthday_message: message }],
      stored: (stored) => ({ ...stored, name: String(stored["name"]).trim() }),
    });
    const manifest = {
      groups: [{ name: "Customers", send_birthday: false }, { name: `${key} ` }],
    };
    const first = await apply(manifest);
    expect(first, first.stderr).toMatchObject({ exitCode: 10 });
    expect(tables.group).toMatchObject([{ birthday_message: message }, { name: key }]);
    const state = join(home.folder, ".local", "state", "sendctl");
    const files = readdirSync(state, { recursive: true, encoding: "utf8" });
    const texts = files
      .filter((file) => file.endsWith(".json"))
      .map((file) => readFileSync(join(state, file), "utf8"));
    expect(texts.join("")).not.toContain(key);
    const second = await apply(manifest);
    expect(second, second.stderr).toMatchObject({ exitCode: 5 });
    expect(second.stderr).toContain("the same for people");
    expect(tables.group).toHaveLength(2);
  });
});

test("a key that is a word is not in the way of records with that word", async ({
  home,
  expect,
}) => {
  const { run, tables } = await start(home, [], "customers");
  const created = await run("group", "create", "customers");
  expect(created, created.stderr).toMatchObject({ exitCode: 0 });
  expect(created.stdout + created.stderr).not.toContain("customers");
  const again = await run("group", "create", "customers", "--if-not-exists");
  expect(again, again.stderr).toMatchObject({ exitCode: 0 });
  expect(tables.group).toMatchObject([{ name: "customers" }]);
});

test(
  "an update of one field sends the others unchanged, whatever they are and whatever the key is",
  timeout,
  async ({ home }) => {
    const text = string({ unit: "grapheme", minLength: 1 });
    const secrets = constantFrom(key, "customers", "true", "1", "name", "k3y", "id");
    const any = record({ message: text, before: text, secret: secrets });
    await assert(
      asyncProperty(any, async ({ message, before, secret }) => {
        const stored = { ...group, birthday_message: `${message}${secret}${before}` };
        const { script, tables } = liveService({ groups: [stored] });
        const service = await startService(script);
        const args = ["group", "update", "12", "--no-send-birthday"];
        const env = { SENDCTL_SECRET_KEY: secret };
        const ran = await runOn(service, args, { home: home.folder, env });
        await service.close();
        const [after] = tables.group;
        const isKept = after?.["birthday_message"] === stored.birthday_message;
        if (ran.exitCode !== 0 || !isKept || after["send_birthday"] !== false) {
          throw new Error(JSON.stringify({ ran, after }));
        }
      }),
      cases(60),
    );
  },
);

const head = (type: string, length: number): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

describe("a response in another charset", () => {
  const text = JSON.stringify(envelope({ ...group, name: "Grüße" }));
  const latin1 = Buffer.from(text, "latin1");

  test.for([
    ["application/json; charset=iso-8859-1", latin1],
    ['application/json; charset="ISO-8859-1"', latin1],
    ["application/json;charset=windows-1252", latin1],
    ["application/json; charset=utf-16le", Buffer.from(text, "utf16le")],
    ["application/json; charset=utf-8", Buffer.from(text)],
    ["application/json", Buffer.from(`\ufeff${text}`)],
  ] as const)("is decoded by it: %s", async ([type, bytes], { expect }) => {
    const result = await runAgainst(
      (_, { raw }) => raw(Buffer.concat([Buffer.from(head(type, bytes.length)), bytes])),
      ["group", "update", "12", "--send-birthday", "--json"],
    );
    expect(result, result.stderr).toMatchObject({ exitCode: 0, violations: [] });
    const [, update] = result.received;
    expect(JSON.parse(update!.body)).toMatchObject({ name: "Grüße" });
  });

  test.for([
    ["application/json", "a body that is not valid in utf-8"],
    ["application/json; charset=utf-8", "a body that is not valid in utf-8"],
    ["application/json; charset=none", "a body in the unknown charset none"],
  ] as const)(
    "is refused before anything is written if it is not valid: %s",
    async ([type, said], { expect }) => {
      const result = await runAgainst(
        (_, { raw }) => raw(Buffer.concat([Buffer.from(head(type, latin1.length)), latin1])),
        ["group", "update", "12", "--send-birthday"],
      );
      expect(result).toMatchObject({ exitCode: 10, violations: [] });
      expect(result.requests).toStrictEqual(["GET /v1/group/12"]);
      expect(result.stderr).toContain(said);
    },
  );

  test("leaves the outcome of a create unknown if it is not valid", async ({ expect }) => {
    const result = await runAgainst(
      (_, { raw }) => raw(Buffer.concat([Buffer.from(head("text/json", latin1.length)), latin1])),
      ["group", "create", "Grüße"],
    );
    expect(result).toMatchObject({ exitCode: 9, violations: [] });
  });

  test("does not hide the status of a gateway's page", async ({ expect }) => {
    const page = Buffer.from("<h1>Schlie\xdfung</h1>", "latin1");
    const headers = `HTTP/1.1 503 Gone\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n`;
    const result = await runAgainst(
      (_, { raw }) => raw(Buffer.concat([Buffer.from(headers), page])),
      ["group", "list"],
    );
    expect(result).toMatchObject({ exitCode: 8, violations: [] });
    expect(result.requests).toHaveLength(3);
  });
});
