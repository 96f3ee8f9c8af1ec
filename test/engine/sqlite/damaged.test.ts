import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Service } from "../../../src/contract/service.ts";
import {
  contentsOf,
  expectDatabaseFailure,
  newFolder,
  thrownBy,
  withDatabase,
  withEngine,
} from "../support/engine-fixtures.ts";
import { createSample } from "../support/sample-database.ts";

/** The problems that damage may be reported as, depending on the damaged byte. */
const possibleProblems = ["damaged", "not_a_database", "newer", "foreign", "access", "io"] as const;

/** A write to each table. */
const writes: readonly ((engine: Service) => Promise<unknown>)[] = [
  (engine) => engine["sender-id.create"]({ body: { name: "New", purpose: "Alerts" } }),
  (engine) => engine["group.create"]({ body: { name: "New" } }),
  (engine) => engine["group.update"]({ path: { id: "5" }, body: { sender_id: "Number 5" } }),
  (engine) => engine["sender-id.delete"]({ path: { name: "Number 5" } }),
  (engine) => engine["group.delete"]({ path: { id: "5" } }),
];

/** A change of `length` bytes at `offset` in a copy of the sample. */
interface Damage {
  readonly what: string;
  readonly offset: number;
  readonly length: number;
  readonly change: (byte: number) => number;
}

const ways = {
  zeros: () => 0x00,
  ones: () => 0xff,
  inverted: (byte: number) => byte ^ 0xff,
};

/** Fills every page except the first with zeros, and with ones. */
function pages(whole: Buffer, names: readonly string[]): readonly Damage[] {
  const length = whole.length / names.length;
  return names.slice(1).flatMap((name, index) => {
    const page = { offset: (index + 1) * length, length };
    return (["zeros", "ones"] as const).map((way) => {
      return { what: `${name}, page ${index + 2}, ${way}`, ...page, change: ways[way] };
    });
  });
}

/** Inverts every byte of the file header. */
function header(): readonly Damage[] {
  return Array.from({ length: 100 }, (_, offset) => {
    return { what: `byte ${offset}`, offset, length: 1, change: ways.inverted };
  });
}

/**
 * Changes every occurrence in the schema, which is stored as text, of one of our tables or columns.
 */
function schema(whole: Buffer): readonly Damage[] {
  const words = ["clock", "integration", "contact_group", "contacts_count"];
  return words.flatMap((word) => {
    const found: Damage[] = [];
    for (let offset = whole.indexOf(word); offset >= 0; offset = whole.indexOf(word, offset + 1)) {
      found.push({ what: `${word} at ${offset}`, offset, length: 1, change: ways.ones });
    }
    return found;
  });
}

for (const part of ["pages", "header", "schema"] as const) {
  test(`damage to ${part} never changes a result, and is reported as damage`, async () => {
    // Few enough reads to be quick, with some from every page.
    const sample = await createSample(20);
    const { folder, file } = await newFolder();
    const expected = await sample.readAll(sample.file);
    const whole = await readFile(sample.file);
    const sql = "SELECT name FROM dbstat ORDER BY pageno";
    const names = withDatabase(sample.file, (database) => database.prepare(sql).pluck().all());
    const damages = { pages, header, schema }[part](whole, names as string[]);

    const silent: string[] = [];
    const misreported: string[] = [];
    let failures = 0;
    const checkFailure = (what: string, error: unknown): void => {
      failures += 1;
      try {
        expectDatabaseFailure(error, file, ...possibleProblems);
      } catch {
        misreported.push(`${what}: ${String(error)}`);
      }
    };

    for (const { what, offset, length, change } of damages) {
      const bytes = Buffer.from(whole);
      for (let at = offset; at < offset + length; at += 1) bytes[at] = change(bytes[at]!);
      await writeFile(file, bytes);
      const before = await contentsOf(folder);
      for (const [index, result] of (await sample.readAll(file)).entries()) {
        if (typeof result !== "string") checkFailure(what, result);
        else if (result !== expected[index]) silent.push(`${what}: ${result}`);
      }
      expect(await contentsOf(folder)).toEqual(before);
      const opened = await thrownBy(() =>
        withEngine(file, async (engine) => {
          for (const write of writes) {
            const error = await thrownBy(() => write(engine));
            if (error !== undefined) checkFailure(what, error);
          }
        }),
      );
      if (opened !== undefined) checkFailure(what, opened);
    }
    expect({ silent, misreported: [...new Set(misreported)] }).toEqual({
      silent: [],
      misreported: [],
    });
    expect(failures).toBeGreaterThan(20);
  }, 60_000);
}
