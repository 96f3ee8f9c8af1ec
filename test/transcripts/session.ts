import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { version } from "../../package.json";
import { quietRuntime, runMain, screen } from "../support/built-program.ts";
import { createClock, type Clock } from "../client/vendors/clock.ts";
import { makeHome, type Home, type Outcome } from "../support/home.ts";
import { serveInProcess } from "../support/serving.ts";
import { key, startFront } from "./service.ts";
import { deleteFolder } from "../support/quick-folder.ts";

/** A line of a session that does something, with the indented lines and the lines of standard input below it. */
interface Step {
  readonly line: string;
  readonly block: string[];
  readonly input: string[];
}

interface World {
  readonly home: Home;
  readonly front: Awaited<ReturnType<typeof startFront>>;
  readonly env: Record<string, string | undefined>;
  /** Texts by their names, which stand in braces in later lines. */
  readonly texts: Map<string, string>;
  serve?: Awaited<ReturnType<typeof serveInProcess>>;
  readonly clock: Clock;
  /** The last random number, of 31 bits. */
  drawn: number;
  /** Microseconds that the clock was moved on. */
  later: number;
  /** The columns of the terminal; undefined for pipes. */
  columns?: number;
  isSorted?: boolean;
  /** The standard output of the last step that had one, without its last line end. */
  last: string;
}

interface Result extends Partial<Outcome> {
  readonly requests?: readonly string[];
}

/** Milliseconds since 1970. */
const start = Date.UTC(2026, 0, 31, 8);

const nowOf = ({ clock, later }: World): number => clock.now() * 1000 + later;

/** Runs a session (README.md has its form), and returns its text with the results that it had. */
export async function replay(text: string): Promise<string> {
  const clock = createClock(start);
  const [home, front] = [await makeHome(), await startFront(clock.stir)];
  const rest = { clock, drawn: 1, later: 0, last: "" };
  const world: World = { home, front, env: { TERM: "dumb" }, texts: new Map(), ...rest };
  const same = createNormaliser(world);
  const lines: string[] = [];
  try {
    for (const part of readSteps(text)) {
      if (typeof part === "string") lines.push(part);
      else {
        const { line, block, input } = part;
        lines.push(line, ...block.map((one) => `  ${one}`), ...input.map((one) => `< ${one}`));
        lines.push(...resultLines(await carryOut(part, world), same));
      }
    }
  } finally {
    await world.serve?.stop();
    front.close();
    deleteFolder(home.folder);
  }
  return lines.join("\n");
}

/** Returns comments and blank lines as they are, and the steps between them, without results. */
function readSteps(text: string): readonly (string | Step)[] {
  const parts: (string | Step)[] = [];
  for (const line of text.split("\n")) {
    const last = parts.at(-1);
    if (/^[|!>=%](?: |$)/.test(line)) continue;
    if (line.startsWith("#") || line === "") parts.push(line);
    else if (typeof last === "object" && line.startsWith("  ")) last.block.push(line.slice(2));
    else if (typeof last === "object" && /^<(?: |$)/.test(line)) last.input.push(line.slice(2));
    else parts.push({ line, block: [], input: [] });
  }
  return parts;
}

/** Splits a line into words. Double quotes hold a JSON string, single quotes a text as it is. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, unquoted));
}

function unquoted(text: string): string {
  return text.startsWith("'") ? text.slice(1, -1) : (JSON.parse(text) as string);
}

/** Carries out a step. @throws Error for a line that is not one */
async function carryOut({ line, block, input }: Step, world: World): Promise<Result> {
  const { home, front, env, texts } = world;
  const filled = (text: string): string =>
    text
      .replaceAll(/\{(\w+)\}/g, (all, name: string) => texts.get(name) ?? all)
      .replaceAll("{url}", front.url)
      .replaceAll("{home}", home.folder)
      .replaceAll("{last}", () => world.last);
  const [, verb = "", given = ""] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  const rest = filled(given);
  const path = join(home.folder, rest);
  const steps: Readonly<Record<string, () => unknown>> = {
    $: () => runCommand(wordsOf(rest).slice(1), input.map(filled), world),
    file: async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, filled(block.map((one) => `${one}\n`).join("")), { mode: 0o600 });
    },
    bytes: () => {
      const [name = "", encoding, text = ""] = wordsOf(rest);
      const options = { encoding: encoding as BufferEncoding, mode: 0o600 };
      return writeFile(join(home.folder, name), text, options);
    },
    folder: () => mkdir(path, { recursive: true, mode: 0o700 }),
    link: () => {
      const [name = "", target = ""] = wordsOf(rest);
      return symlink(join(home.folder, target), join(home.folder, name));
    },
    mode: () => {
      const [bits = "", name = ""] = wordsOf(rest);
      return chmod(join(home.folder, name), Number.parseInt(bits, 8));
    },
    list: async () => ({ stdout: await filesBelow(path) }),
    show: async () => ({ stdout: await readFile(path, "utf8") }),
    remove: () => rm(path),
    env: () => {
      const [, name = "", value] = /^(\w+)(?:=(.*))?$/.exec(rest) ?? [];
      env[name] = value;
    },
    terminal: () => (world.columns = Number(rest || 80)),
    sorted: () => (world.isSorted = true),
    let: () => texts.set(rest.replace(/ .*/, ""), rest.replace(/^\S+ /, "")),
    later: () => (world.later += Number(rest) * 1e6),
    when: () => front.when(rest),
    http: async () => ({ stdout: await front.send(rest) }),
    serve: async () => {
      const options = ["--temporary", "--key-from-env", ...wordsOf(rest)];
      const there = { folder: home.folder, env: { ...home.env, SENDCTL_SECRET_KEY: key } };
      world.serve = await serveInProcess(there, options, { now: () => nowOf(world) });
      front.passOnTo(world.serve.baseUrl);
    },
    stop: async () => {
      const { stderr = "", ...ended } = (await world.serve?.stop()) ?? {};
      // Lines of the request log are printed later than the others, or not.
      const log = stderr.match(/^\{.*\n/gm) ?? [];
      return { ...ended, stderr: [stderr.replaceAll(/^\{.*\n/gm, ""), ...log].join("") };
    },
  };
  const act = steps[verb];
  if (act === undefined) throw new Error(`not a step: ${line}`);
  const result = await act();
  if (typeof result !== "object") return {};
  const { stdout } = result as Result;
  if (stdout !== undefined) world.last = stdout.replace(/\n$/, "");
  return result as Result;
}

/** Returns the modes and names of all files and folders below a folder, one a line. */
async function filesBelow(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true });
  const lines = names.toSorted().map(async (name) => {
    const found = await lstat(join(folder, name));
    return `${found.isSymbolicLink() ? "link" : (found.mode & 0o777).toString(8)} ${name}\n`;
  });
  return (await Promise.all(lines)).join("");
}

/**
 * Runs a command line of sendctl, a second after the last, on a clock that only pauses advance, which cost no time.
 * A session with a service has its address in the environment.
 */
async function runCommand(
  args: readonly string[],
  input: readonly string[],
  world: World,
): Promise<Result> {
  const { home, front, clock, columns } = world;
  const remote = { SENDCTL_BASE_URL: front.url, SENDCTL_SECRET_KEY: key };
  const stdin = new PassThrough();
  let isRaw = false;
  if (columns === undefined) stdin.end(input.map((line) => `${line}\n`).join(""));
  const typed = [...input];
  const stderr = screen(columns, (text) => {
    if (columns === undefined || text.endsWith("\n") || text === "") return;
    // A prompt. The terminal shows what is typed, or the line end alone of a secret.
    const line = typed.shift();
    if (line !== undefined && !isRaw) stderr.stream.write(`${line}\n`, () => {});
    if (line === undefined) stdin.end();
    else stdin.write(`${line}\n`);
  });
  const setRawMode = (raw: boolean): unknown => ((isRaw = raw), stdin);
  const runtime = {
    ...quietRuntime(home.folder, { ...home.env, ...(front.isUsed() && remote), ...world.env }),
    stdin: Object.assign(stdin, { isTTY: columns !== undefined, setRawMode }),
    now: () => nowOf(world),
    elapsed: () => nowOf(world) / 1000 - start,
    random: () => (world.drawn = (world.drawn * 16_807) % 2_147_483_647) / 2_147_483_647,
    sleep: clock.sleep,
  };
  front.takeRequests();
  world.later += 1e6;
  const ran = await runMain(args, runtime, [screen(columns), stderr]);
  const requests = front.takeRequests();
  return { ...ran, requests: world.isSorted ? requests.toSorted() : requests };
}

/** Creates a function that replaces what differs from run to run: paths, ports, ids, keys, versions and times of logs. */
function createNormaliser({ home, front }: World): (text: string) => string {
  const seen = new Map<string, string>();
  const numbered = (form: string) => (found: string) => {
    const number = String(seen.size + 1);
    if (!seen.has(found)) seen.set(found, form.slice(0, -number.length) + number);
    return seen.get(found)!;
  };
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
  return (text) =>
    text
      .replaceAll(home.folder, "/home/kim")
      .replaceAll(front.url, "http://127.0.0.1:40100")
      .replaceAll(front.url.slice(7), "127.0.0.1:40100")
      .replaceAll(/127\.0\.0\.1:(?!40100)\d{5}/g, "127.0.0.1:40200")
      .replaceAll(encoded(home.folder), encoded("/home/kim"))
      .replaceAll(`<!-- -->&#58;${new URL(front.url).port}<`, "<!-- -->&#58;40100<")
      .replaceAll(/\b21\d{8}\b/g, "2100000000")
      .replaceAll(/sendctl-probe-[0-9a-f]{12}/g, "sendctl-probe-0123456789ab")
      .replaceAll(uuid, numbered("00000000-0000-4000-8000-000000000000"))
      .replaceAll(/sk_[\w-]{43}/g, numbered(`sk_${"0".repeat(43)}`))
      .replaceAll(/"(time|ms|request_id)":("[^"]*"|[\d.]+)(?=.*"request_id"|,"client")/g, '"$1":0')
      .replaceAll(process.versions.node, "20.0.0")
      .replaceAll(version, "0.1.0");
}

/** Returns a text as Markdown has it. */
function encoded(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, (one) => `&#${one.charCodeAt(0)};`);
}

function resultLines(result: Result, same: (text: string) => string): readonly string[] {
  const { stdout = "", stderr = "", requests = [], exitCode } = result;
  return [
    ...streamLines("|", same(stdout)),
    ...streamLines("!", same(stderr)),
    ...requests.map((request) => `> ${shown(same(request))}`),
    ...(exitCode === undefined ? [] : [`= ${exitCode}`]),
  ];
}

function streamLines(mark: string, text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n").map((line) => `${mark} ${shown(line)}`);
  return text.endsWith("\n") ? lines.slice(0, -1) : [...lines, "% no newline"];
}

/** Escapes what a reader could not see, in another form than sendctl does. `\r`, which it never prints so, stays `\u000d`. */
function shown(text: string): string {
  return text
    .replaceAll("\r", "\\u000d")
    .replaceAll(
      /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\ufffd]/gu,
      (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`,
    );
}
