import {
  appendFileSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { execa } from "execa";
import * as fc from "fast-check";
import { build } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import {
  olderLog,
  openLogReader,
  openRequestLog,
  type RequestLogEntry,
} from "../../src/server/request-log.ts";
import { until } from "../support/waiting.ts";

const entry: RequestLogEntry = {
  time: "2026-01-31T08:00:00.000Z",
  method: "GET",
  path: "/v1/group",
  status: 200,
  ms: 1,
  request_id: "1",
  client: "::1",
  operation: undefined,
  key_id: undefined,
  fault: undefined,
};

async function newLog(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sendctl-log-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "sendctl.db.log");
}

/** Lines of any length. */
const someLines = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\n", "")),
    fc.integer({ min: 60_000, max: 70_000 }).map((length) => "é".repeat(length)),
  ),
  { maxLength: 8 },
);

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

test("returns the lines of both files, whatever their length", async () => {
  const file = await newLog();
  fc.assert(
    fc.property(someLines, someLines, fc.string(), (older, newer, half) => {
      writeFileSync(olderLog(file), textOf(older));
      writeFileSync(file, `${textOf(newer)}${half.replaceAll("\n", "")}`);
      const reader = openLogReader(file);
      expect(reader.lines).toEqual([...older, ...newer]);
      // Following the log starts with the incomplete line.
      appendFileSync(file, "!\nnext\n");
      expect(reader.added()).toEqual([`${half.replaceAll("\n", "")}!`, "next"]);
    }),
    { numRuns: 60 },
  );
});

test("follows a log that is created, moved aside or truncated", async () => {
  const file = await newLog();
  const reader = openLogReader(file);
  expect(reader.exists).toBe(false);
  expect(reader.added()).toEqual([]);
  appendFileSync(file, "a\nb");
  expect(reader.added()).toEqual(["a"]);
  appendFileSync(file, "b\nc\n");
  expect(reader.added()).toEqual(["bb", "c"]);
  appendFileSync(file, "d\n");
  renameSync(file, olderLog(file));
  appendFileSync(olderLog(file), "e\n");
  expect(reader.added()).toEqual(["d", "e"]);
  writeFileSync(file, "f\n");
  expect(reader.added()).toEqual(["f"]);
  truncateSync(file);
  expect(reader.added()).toEqual([]);
  appendFileSync(file, "g\n");
  expect(reader.added()).toEqual(["g"]);
});

test("writes lines in order, readable only by their owner", async () => {
  const file = await newLog();
  const log = openRequestLog(file, { isReadable: false, warn: expect.unreachable });
  const ids = Array.from({ length: 500 }, (_, nth) => `${nth}`);
  for (const id of ids.slice(0, 300)) log.served({ ...entry, request_id: id });
  await setImmediate();
  for (const id of ids.slice(300)) log.served({ ...entry, request_id: id });
  await log.close();
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).request_id as unknown)).toEqual(ids);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

const maxBytes = 20_000;

/** Bundles the log for a child process, because Node 20 does not run TypeScript. */
async function bundledLog(folder: string): Promise<string> {
  const file = join(folder, "request-log.cjs");
  await build({
    input: join(import.meta.dirname, "../../src/server/request-log.ts"),
    platform: "node",
    output: { file, format: "cjs" },
    logLevel: "warn",
  });
  return file;
}

/** Adds `count` lines, a few per turn of the event loop. */
const writer = `
  const [program, file, name, count, maxBytes] = process.argv.slice(1);
  const { openRequestLog } = require(program);
  const warn = (text) => { throw new Error(text); };
  const log = openRequestLog(file, { isReadable: false, warn, maxBytes: Number(maxBytes) });
  const run = async () => {
    for (let nth = 0; nth < Number(count); nth += 1) {
      log.served({ name, nth, filler: "x".repeat(nth % 90) });
      if (nth % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    log.close();
  };
  run();`;

test("keeps lines of many processes whole and in order, and moves a full log aside", async () => {
  const file = await newLog();
  const program = await bundledLog(dirname(file));
  await Promise.all(
    ["a", "b", "c", "d"].map((name) =>
      execa(process.execPath, ["-e", writer, program, file, name, "400", `${maxBytes}`]),
    ),
  );
  const latest = new Map<string, number>();
  for (const log of [olderLog(file), file]) {
    for (const line of readFileSync(log, "utf8").split("\n").slice(0, -1)) {
      const { name, nth } = JSON.parse(line) as { name: string; nth: number };
      expect(nth).toBeGreaterThan(latest.get(name) ?? -1);
      latest.set(name, nth);
    }
  }
  expect(latest.size).toBeGreaterThan(0);
  for (const log of [olderLog(file), file]) {
    expect(statSync(log).size).toBeLessThan(3 * maxBytes);
  }
}, 60_000);

test("reports once that lines cannot be written, and never throws", async () => {
  const folder = await newLog();
  const elsewhere = `${folder}.elsewhere`;
  await mkdir(folder);
  await symlink(elsewhere, `${folder}.link`);
  await execa("mkfifo", [`${folder}.pipe`]);
  for (const file of [folder, `${folder}.link`, `${folder}.pipe`, join(folder, "none", "log")]) {
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    const log = openRequestLog(file, { isReadable: false, warn });
    log.served(entry);
    await until("the error is reported", () => warnings.length > 0);
    for (let round = 0; round < 3; round += 1) {
      log.served(entry);
      await setImmediate();
    }
    await log.close();
    expect(warnings).toEqual([expect.stringMatching(/^cannot log requests to .* \(E[A-Z]+\);/)]);
  }
  expect(() => statSync(elsewhere)).toThrow(/ENOENT/);
});

test("leaves a backup as it is that has the name of a log, or of the one before it", async () => {
  const backup = `SQLite format 3\0${"x".repeat(maxBytes)}`;
  for (const ending of ["", ".1"]) {
    const file = await newLog();
    writeFileSync(`${file}${ending}`, backup);
    if (ending !== "") writeFileSync(file, `${"x".repeat(maxBytes)}\n`);
    const warnings: string[] = [];
    const warn = (text: string) => void warnings.push(text);
    const log = openRequestLog(file, { isReadable: false, warn, maxBytes });
    log.served(entry);
    await log.close();
    expect(warnings).toEqual([expect.stringContaining("(it is a database)")]);
    expect(readFileSync(`${file}${ending}`, "utf8")).toBe(backup);
  }
});

test("names a log that cannot be read", async () => {
  const file = await newLog();
  await mkdir(file);
  expect(() => openLogReader(file)).toThrow(file);
});

test("prints requests at a terminal for people, and to a file as JSON", async () => {
  const lines: string[] = [];
  const print = async (text: string): Promise<void> => {
    lines.push(...text.split("\n").filter((line) => line !== ""));
  };
  const request = { ...entry, path: "/v1/g\u001b[1m", ms: 1.3 };
  const failed = { cause: "database", code: "SQLITE_BUSY", fault: "*:drop=after" } as const;
  for (const isReadable of [true, false]) {
    const log = openRequestLog(await newLog(), { print, isReadable, warn: () => {} });
    log.served(request);
    log.served({ ...request, status: null, ...failed }, "is locked");
    await log.close();
  }
  expect(lines.slice(0, 2).map((line) => line.replace(/^\d\d:\d\d:\d\d/, "TIME"))).toEqual([
    String.raw`TIME GET /v1/g\u001b[1m 200 1.3 ms`,
    String.raw`TIME GET /v1/g\u001b[1m - 1.3 ms · database SQLITE_BUSY · fault *:drop=after`,
  ]);
  expect(lines.slice(2).map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { method: "GET", path: "/v1/g\u001b[1m", status: 200, ms: 1.3 },
    { cause: "database", code: "SQLITE_BUSY", fault: "*:drop=after" },
  ]);
});

test("warns of each new problem once, even if other requests succeed in between", async () => {
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const log = openRequestLog(await newLog(), { isReadable: false, warn });
  for (const problem of ["is locked", undefined, "is locked", "is full", undefined, "is full"]) {
    log.served(entry, problem);
  }
  await log.close();
  expect(warnings).toEqual(["is locked", "is full"]);
});
