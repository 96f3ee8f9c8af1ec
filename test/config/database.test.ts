import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  databaseUrl,
  locateDatabase,
  requestLogFile,
  withoutPassword,
} from "../../src/config/database.ts";
import { processRuntime } from "../../src/core/runtime.ts";
import { readAddress } from "../../src/engine/postgres/address.ts";
import { anyCharacter } from "../support/any-character.ts";

const read = (text: string) => databaseUrl(text, "--database");
const runtime = { env: {}, home: "/nowhere", folder: "/nowhere" };

test.each([
  "sendctl.db",
  "/tmp/a b.db",
  "postgres",
  "postgres:db",
  "file:a.db?mode=ro",
  "C:\\data\\sendctl.db",
])("%s is the name of a file", (text) => {
  expect(read(text)).toBeUndefined();
  expect(withoutPassword(text)).toBe(text);
});

test.each([
  ["mysql://u:secretword@h/d", "unknown scheme mysql://"],
  ["http://u:secretword@h/d", "unknown scheme http://"],
  ["postgres://u:secret#word@h/d", "not a valid URL"],
  ["postgres://u:1/secretword@h/d", "not a valid URL"],
  ["postgres://u:1?secretword@h/d", "not a valid URL"],
  ["postgres://u:secret%word@h/d", "not a valid URL"],
  ["postgres://u:secretword@h:port/d", "not a valid URL"],
  ["postgres://u:secretword@one:1,two:2/d", "not a valid URL"],
])("%s is rejected without repeating its password", (text, message) => {
  const error = expect.objectContaining({ kind: "usage", field: "--database" }) as Error;
  expect(() => read(text)).toThrow(error);
  expect(() => read(text)).toThrow(message);
  expect(() => read(text)).toThrow(expect.not.stringContaining("secretword"));
  expect(withoutPassword(text)).not.toContain("secret");
});

test.each([
  ['"postgres://u:secretword@h/d"', "without quotes"],
  ["'postgres://u:secretword@h/d'", "without quotes"],
  [" postgres://u:secretword@h/d", "alone"],
  ["postgres://u:secretword@h/d\t", "another file"],
  ["postgres:/u:secretword@h/d", "write // after the scheme"],
  ["Postgresql:u:secretword@h/d", "write // after the scheme"],
  ['"/abs/x.db"', "without quotes"],
  ["~/x.db", "write the path of the home folder"],
])("%s does not become a new file", (text, hint) => {
  const error = { kind: "usage", field: "SENDCTL_DATABASE", hint: expect.stringContaining(hint) };
  const locate = () => locateDatabase(text, "SENDCTL_DATABASE", processRuntime());
  expect(locate).toThrow(expect.objectContaining(error) as Error);
  expect(locate).toThrow(expect.not.stringContaining("secretword"));
});

test("a socket is accepted as a host or a parameter", () => {
  for (const text of [
    "postgres:///main?host=/run/pg&user=anna",
    "postgresql://anna@%2Frun%2Fpg/main",
  ]) {
    const { host, user, database, tls } = readAddress(read(text)!.url, runtime);
    expect([host, user, database, tls]).toEqual(["/run/pg", "anna", "main", false]);
  }
});

test("any password is decoded, and not contained in the shown URL", () => {
  const password = fc.string({ unit: anyCharacter, minLength: 1 });
  fc.assert(
    fc.property(password, fc.boolean(), (password, isInQuery) => {
      const unique = `«${password}»`;
      const encoded = encodeURIComponent(unique);
      const found = read(
        isInQuery
          ? `postgres://anna@h:6000/main?password=${encoded}&sslmode=disable`
          : `postgres://anna:${encoded}@h:6000/main?sslmode=disable`,
      )!;
      expect(found.shown).toBe("postgres://anna@h:6000/main?sslmode=disable");
      expect(found.passwords).toContain(unique);
      expect(readAddress(found.url, runtime).password).toBe(unique);
    }),
  );
});

function tlsOf(text: string) {
  return readAddress(text, runtime).tls;
}

test("connections to other machines are encrypted unless sslmode disables it", () => {
  expect(tlsOf("postgres://a@db.example/d")).toEqual({ rejectUnauthorized: true });
  expect(tlsOf("postgres://a@db.example/d?sslmode=require")).toMatchObject({
    rejectUnauthorized: false,
  });
  expect(tlsOf("postgres://a@db.example/d?sslmode=disable")).toBe(false);
  for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
    expect(tlsOf(`postgres://a@${host}/d`)).toBe(false);
    expect(tlsOf(`postgres://a@${host}/d?sslmode=verify-full`)).not.toBe(false);
  }
});

const logOf = (address: string): string =>
  requestLogFile(
    { database: address, databaseUrl: read(address) },
    { ...processRuntime(), env: {}, home: "/home/anna" },
  );

test("each schema of a PostgreSQL database has a request log of its own", () => {
  const address = "postgres://anna@h:6000/main";
  expect(logOf(address)).toBe(logOf(`${address}?schema=sendctl`));
  expect(logOf(address)).not.toBe(logOf(`${address}?schema=other`));
  expect(logOf(address)).not.toBe(logOf("postgres://anna@h:6000/staging"));
});
