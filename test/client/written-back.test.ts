import { assert, asyncProperty, constantFrom, record, string } from "fast-check";
import { describe } from "vitest";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { test } from "../support/home.ts";
import { liveService } from "./apply/apply-remote.ts";
import { key, runAgainst, runOn } from "./run-remote.ts";
import { envelope, group } from "./sample-responses.ts";
import { startService } from "./scripted-service.ts";

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
