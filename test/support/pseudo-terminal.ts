import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { execa } from "execa";
import { launcher, type Home } from "./home.ts";

/** Whether programs can be run on a pseudo-terminal. */
export const hasTerminal =
  process.platform === "linux" && spawnSync("python3", ["-c", "import pty"]).status === 0;

const program = join(import.meta.dirname, "pseudo-terminal.py");

/** What a program did on a pseudo-terminal. */
interface Ran {
  /** 128 plus the number of a signal. */
  readonly code: number | null;
  /** Whether the modes of the terminal are as they were before. */
  readonly isRestored: boolean;
  readonly output: string;
  /** Steps that were not reached. */
  readonly left: number;
}

/** Texts to wait for, and the keys to press or the signal to send then, in order. */
export type Steps = readonly (readonly [text: string, keys: string])[];

/** Python, which takes as long to start as what it runs: it runs all of a worker, one after another. */
function startPython() {
  const python = execa("python3", [program], { stderr: "inherit", reject: false });
  return { python, results: python.iterable()[Symbol.asyncIterator]() };
}

let started: ReturnType<typeof startPython> | undefined;

/** Runs the built program on a pseudo-terminal. @param words its arguments, or a whole command */
export async function runOnTerminal(
  home: Home,
  words: readonly string[],
  steps: Steps,
  {
    env = {},
    columns = 80,
    rows = 24,
    argv = [process.execPath, launcher, ...words],
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly columns?: number;
    readonly rows?: number;
    readonly argv?: readonly string[];
  } = {},
): Promise<Ran> {
  const task = {
    argv,
    env: { ...home.env, TERM: "xterm", ...env },
    cwd: home.folder,
    steps,
    columns,
    rows,
  };
  started ??= startPython();
  started.python.stdin.write(`${JSON.stringify(task)}\n`);
  const { value } = await started.results.next();
  return JSON.parse(value ?? "null") as Ran;
}
