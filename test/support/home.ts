import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, realpath } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import { test as base, type ExpectStatic } from "vitest";
import type { errorObject, ErrorKind } from "../../src/core/error.ts";
import { connect } from "../../src/engine/sqlite/database-file.ts";
import { openDatabase } from "../../src/engine/sqlite/database-file.ts";
import { deleteFolder, quickFolder } from "./quick-folder.ts";
import { quietRuntime, runMain, screen } from "./built-program.ts";

/** The launcher of the built program, as npm installs it. */
export const launcher = join(import.meta.dirname, "../../bin/sendctl.js");

type Environment = Readonly<Record<string, string>>;

export interface Outcome {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user without any files. */
export interface Home {
  readonly folder: string;
  /** The default path of the database. */
  readonly database: string;
  readonly env: Environment;
  /** Runs `main` of the built program in this process; `input` is all of standard input. */
  readonly run: (
    args: readonly string[],
    env?: Environment,
    input?: string | Uint8Array,
  ) => Promise<Outcome>;
  /** Starts the built program as a process. */
  readonly start: (args: readonly string[], env?: Environment) => ReturnType<typeof startProgram>;
  /** Runs the built program as a process. */
  readonly spawn: (args: readonly string[], env?: Environment) => Promise<Outcome>;
  /** Runs a bash script in which `sendctl` is the built program. */
  readonly shell: (script: string, stdin?: "ignore" | "pipe") => Promise<Outcome>;
}

/** Returns output unchanged and any exit code, and passes on no variables of the test's environment. */
const hermetic = { extendEnv: false, reject: false, stripFinalNewline: false } as const;

/** @param timeout in milliseconds */
function startProgram(args: readonly string[], cwd: string, env: Environment, timeout?: number) {
  const options = { ...hermetic, ...(timeout === undefined ? {} : { timeout }), cwd, env };
  return execa(process.execPath, [launcher, ...args], { ...options, stdin: "ignore" });
}

async function outcomeOf(
  process: PromiseLike<{ exitCode?: number; stdout?: unknown; stderr?: unknown }>,
): Promise<Outcome> {
  const { exitCode, stdout, stderr } = await process;
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

/** Variables that Node reads from the process itself, not from the environment that sendctl passes on. */
const processVariables = ["NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "TMPDIR", "TZ"];

export async function makeHome(): Promise<Home> {
  const folder = await realpath(await mkdtemp(join(quickFolder, "sendctl-test-")));
  const data = join(folder, "data");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_DATA_HOME: data,
    TZ: "UTC",
    SENDCTL_NO_CODE_CACHE: "1",
  };
  return {
    folder,
    database: join(data, "sendctl", "sendctl.db"),
    env,
    run: async (args, further = {}, input = "") => {
      const other = processVariables.filter(
        (name) => name in further && further[name] !== process.env[name],
      );
      if (other.length > 0) throw new Error(`Use home.spawn to set ${other.join(", ")}`);
      return runMain(args, quietRuntime(folder, { ...env, ...further }, input));
    },
    start: (args, further = {}) => startProgram(args, folder, { ...env, ...further }),
    spawn: (args, further = {}) =>
      outcomeOf(startProgram(args, folder, { ...env, ...further }, 60_000)),
    shell: (script, stdin = "ignore") =>
      outcomeOf(
        execa("bash", ["-c", `sendctl() { "$NODE" "$LAUNCHER" "$@"; }\n${script}`], {
          ...hermetic,
          timeout: 180_000,
          cwd: folder,
          stdin,
          env: { ...env, NODE: process.execPath, LAUNCHER: launcher },
        }),
      ),
  };
}

/** Gives every test a home, which is deleted afterwards. */
export const test = base.extend<{ home: Home }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest derives the dependencies of a fixture from the pattern
  home: async ({}, use) => {
    const home = await makeHome();
    await use(home);
    deleteFolder(home.folder);
  },
});

/** Returns an envelope exactly as --json prints it on stdout. */
export function printed(envelope: unknown): string {
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** An error on stderr: its message and optionally a hint. */
export const errorLines = /^sendctl: [^\n]+\n(?:hint: [^\n]+\n)?$/;

/** Returns the output of an error: always on stderr, and with --json on stdout as well. */
export function errorPrinted(kind: ErrorKind, message: string, hint?: string) {
  const error = { kind, http_status: null, message, hint: hint ?? null };
  const advice = hint === undefined ? "" : `hint: ${hint}\n`;
  return {
    stderr: `sendctl: ${message}\n${advice}`,
    json: printed({ status: false, message, data: null, error }),
  };
}

/** A command line, its exit code, and a text of its error. */
type Refusal = readonly [args: readonly string[], exitCode: number, says?: string | RegExp];

/** Expects that each command line fails and prints only its error, with --json as an envelope as well. */
export async function expectRefusals(
  expect: ExpectStatic,
  home: Home,
  command: string,
  refusals: readonly Refusal[],
): Promise<void> {
  for (const [given, exitCode, says = ""] of refusals) {
    const args = [...command.split(" "), ...given];
    const plain = await home.run(args);
    const stderr: unknown = expect.stringMatching(errorLines);
    expect({ args, ...plain }).toStrictEqual({ args, exitCode, stdout: "", stderr });
    expect(plain.stderr).toMatch(says);
    const json = await home.run([...args, "--json"]);
    expect({ args, exitCode: json.exitCode }).toStrictEqual({ args, exitCode });
    expect(JSON.parse(json.stdout)).toMatchObject({ status: false, data: null });
  }
}

/** Creates a key of an integration, which is created if necessary. Returns the variable of the key. */
export async function keyOf(home: Home, integration: string): Promise<Environment> {
  await home.run(["local", "integration", "create", integration]);
  const args = ["local", "key", "create", "--integration", integration, "--json"];
  const { secret_key: key } = dataOf(await home.run(args)) as { secret_key: string };
  return { SENDCTL_SECRET_KEY: key };
}

/** Returns the data of a printed envelope. */
export function dataOf({ stdout }: Outcome): unknown {
  return (JSON.parse(stdout) as { data: unknown }).data;
}

/** Returns the error of a printed envelope. */
export function errorOf({ stdout }: Outcome): ReturnType<typeof errorObject> {
  return (JSON.parse(stdout) as { error: ReturnType<typeof errorObject> }).error;
}

/** Reads every record of a database without the program; undefined if the database does not exist. */
export function contentsOf(file: string): unknown {
  if (!existsSync(file)) return undefined;
  const database = connect(file, { readonly: true });
  const rows = ["sender_id", "contact_group"].map((table) =>
    database.prepare(`SELECT * FROM ${table} ORDER BY id`).all(),
  );
  database.close();
  return rows;
}

/** Inserts groups into a database directly: a thousand processes would take a minute. */
export async function insertGroups(
  home: Home,
  rows: readonly { readonly name: string; readonly message: string }[],
): Promise<void> {
  const database = openDatabase(home.database);
  const insert = database.prepare(
    `INSERT INTO contact_group
       (integration_id, uuid, name, send_birthday, birthday_message, created_at)
     VALUES (1, ?, ?, 1, ?, ?)`,
  );
  database.transaction(() => {
    for (const [index, { name, message }] of rows.entries()) {
      insert.run(randomUUID(), name, message, index + 1);
    }
  })();
  database.close();
}

/** Returns the rows of groups with the same message. */
export function manyGroups(count: number, message = "Hi") {
  return Array.from({ length: count }, (_, index) => ({ name: `Group ${index}`, message }));
}

interface Terminal {
  readonly columns?: number;
  readonly env?: Environment;
  /** False if stdout is a pipe (default: true). */
  readonly stdoutIsTerminal?: boolean;
  readonly stdinIsTerminal?: boolean;
  readonly stderrIsTerminal?: boolean;
  /** Texts to wait for on stderr, and the keys to press then, in order. */
  readonly keys?: readonly (readonly [question: string, keys: string])[];
  /** Called with all of stderr whenever something is written to it. */
  readonly read?: (stderr: string) => void;
  /** The monotonic clock, in milliseconds (default: the real one). */
  readonly elapsed?: () => number;
  /** All of standard input, instead of keys. */
  readonly stdin?: string;
}

/** In milliseconds: how long a program may print nothing before its test fails. */
const maxSilence = 5000;

/** Runs `main` in this process at a simulated terminal. @throws Error if a prompt waits for other keys */
export async function runAtTerminal(
  home: Home,
  args: readonly string[],
  terminal: Terminal = {},
): Promise<Outcome & { readonly keysLeft: number }> {
  const { columns = 80, env = {}, keys = [] } = terminal;
  const { stdinIsTerminal = true, stdoutIsTerminal = true, stderrIsTerminal = true } = terminal;
  const stdin = Object.assign(new PassThrough(), {
    isTTY: stdinIsTerminal,
    setRawMode: () => stdin,
  }) as PassThrough & { isTTY: boolean; setRawMode: () => unknown };
  if (terminal.stdin !== undefined) stdin.end(terminal.stdin);
  const left = [...keys];
  let seen = 0;
  let waitedFor: string | undefined;
  // A prompt that waits for a key in vain ends with its input.
  const giveUp = setTimeout(() => {
    waitedFor = left[0]?.[0] ?? "the end";
    stdin.end();
  }, maxSilence);
  const stderr = screen(stderrIsTerminal ? columns : undefined, (text) => {
    giveUp.refresh();
    terminal.read?.(text);
    const next = left[0];
    if (next === undefined || !stripVTControlCharacters(text.slice(seen)).includes(next[0])) return;
    left.shift();
    seen = text.length;
    // Press the key after the question has been written.
    setImmediate(() => stdin.write(next[1]));
  });
  const runtime = {
    ...quietRuntime(home.folder, { ...home.env, ...env }),
    ...(terminal.elapsed === undefined ? {} : { elapsed: terminal.elapsed }),
    stdin,
  };
  const ran = await runMain(args, runtime, [
    screen(stdoutIsTerminal ? columns : undefined),
    stderr,
  ]).finally(() => clearTimeout(giveUp));
  if (waitedFor === undefined) return { ...ran, keysLeft: left.length };
  throw new Error(`waited for ${JSON.stringify(waitedFor)} in vain:\n${ran.stderr.slice(-2000)}`);
}
