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
import { makeSample } from "../support/sample-database.ts";

/** What damage may be taken for: it depends on which byte it is. */
const refused = ["damaged", "not_a_database", "newer", "foreign", "access", "io"] as const;

/** A write to each table. */
const writes: readonly ((engine: Service) => Promise<unknown>)[] = [
  (engine) => engine["sender-id.create"]({ body: { name: "New", purpose: "Alerts" } }),
  (engine) => engine["group.create"]({ body: { name: "New" } }),
  (engine) => engine["group.update"]({ path: { id: "5" }, body: { sender_id: "Number 5" } }),
  (engine) => engine["sender-id.delete"]({ path: { name: "Number 5" } }),
  (engine) => engine["group.delete"]({ path: { id: "5" } }),
];

/** A copy of the sample in which `length` bytes at `offset` are other ones. */
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

/** Every page but the first, once full of zeros and once of ones. */
function pages(whole: Buffer, names: readonly string[]): readonly Damage[] {
  const length = whole.length / names.length;
  return names.slice(1).flatMap((name, index) => {
    const page = { offset: (index + 1) * length, length };
    return (["zeros", "ones"] as const).map((way) => {
      return { what: `${name}, page ${index + 2}, ${way}`, ...page, change: ways[way] };
    });
  });
}

/** Every byte of the header that SQLite begins a file with. */
function header(): readonly Damage[] {
  return Array.from({ length: 100 }, (_, offset) => {
    return { what: `byte ${offset}`, offset, length: 1, change: ways.inverted };
  });
}

/** Every place of the schema, which is kept as text, that names one of our tables or columns. */
function schema(whole: Buffer): readonly Damage[] {
  const words = [
    "clock",
    "integration",
    "sender_id",
    "contact_group",
    "contacts_count",
    "created_at",
  ];
  return words.flatMap((word) => {
    const found: Damage[] = [];
    for (let offset = whole.indexOf(word); offset >= 0; offset = whole.indexOf(word, offset + 1)) {
      found.push({ what: `${word} at ${offset}`, offset, length: 1, change: ways.ones });
    }
    return found;
  });
}

for (const part of ["pages", "header", "schema"] as const) {
  test(`damage is never answered wrongly, and always told as such: ${part}`, async () => {
    // Few enough to be quick, and some of every page.
    const sample = await makeSample(7);
    const { folder, file } = await newFolder();
    const right = await sample.readAll(sample.file);
    const whole = await readFile(sample.file);
    const sql = "SELECT name FROM dbstat ORDER BY pageno";
    const names = withDatabase(sample.file, (database) => database.prepare(sql).pluck().all());
    const damages = { pages, header, schema }[part](whole, names as string[]);

    const silent: string[] = [];
    const misnamed: string[] = [];
    let told = 0;
    const judge = (what: string, error: unknown): void => {
      told += 1;
      try {
        expectDatabaseFailure(error, file, ...refused);
      } catch {
        misnamed.push(`${what}: ${String(error)}`);
      }
    };

    for (const { what, offset, length, change } of damages) {
      const bytes = Buffer.from(whole);
      for (let at = offset; at < offset + length; at += 1) bytes[at] = change(bytes[at]!);
      await writeFile(file, bytes);
      const before = await contentsOf(folder);
      for (const [place, answer] of (await sample.readAll(file)).entries()) {
        if (typeof answer !== "string") judge(what, answer);
        else if (answer !== right[place]) silent.push(`${what}: ${answer}`);
      }
      expect(await contentsOf(folder)).toEqual(before);
      const opened = await thrownBy(() =>
        withEngine(file, async (engine) => {
          for (const write of writes) {
            const error = await thrownBy(() => write(engine));
            if (error !== undefined) judge(what, error);
          }
        }),
      );
      if (opened !== undefined) judge(what, opened);
    }
    expect({ silent, misnamed: [...new Set(misnamed)] }).toEqual({ silent: [], misnamed: [] });
    expect(told).toBeGreaterThan(20);
  }, 60_000);
}
