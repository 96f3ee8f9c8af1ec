import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { platform } from "node:process";
import { isatty } from "node:tty";
import { readJson } from "./json-text.ts";

/** A signal that a command may listen to. */
export type StopSignal =
  | "SIGINT"
  | "SIGTERM"
  | "SIGHUP"
  | "SIGQUIT"
  | "SIGUSR1"
  | "SIGUSR2"
  | "SIGCONT";

/** A program that has been started. */
export type Running = Awaited<ReturnType<typeof runProgram>>;

/** How a program ended: with an exit code, or by a signal. */
export type Ended =
  | { readonly code: number }
  | { readonly signal: string; readonly number: number };

/**
 * Starts a program without a shell. The program inherits the standard streams of this process.
 *
 * @param command a path, or a name on the PATH of `env`
 * @throws the system error if the program cannot be started
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  const child = spawn(command, args, { stdio: "inherit", env });
  const ended = new Promise<Ended>((resolve) => {
    child.once("exit", (code, signal) => {
      if (signal === null) resolve({ code: code ?? 0 });
      else resolve({ signal, number: constants.signals[signal] });
    });
  });
  await once(child, "spawn");
  // A signal may arrive after the program has ended.
  child.on("error", () => {});
  return {
    ended,
    kill: (signal: StopSignal): void => void child.kill(signal),
    /** Whether Ctrl-C and the like reach the program directly, because it shares the terminal. */
    sharesTerminal: [0, 1, 2].some((descriptor) => isatty(descriptor)),
  };
}

/**
 * Closes the descriptors that a child process would inherit, such as the lock of a shell
 * (`200>lock`). Node opens its own so that they are not inherited.
 */
function closeInherited(): void {
  const folder = "/proc/self/fdinfo";
  if (platform !== "linux") return;
  for (const name of readdirSync(folder)) {
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`${folder}/${name}`, "utf8"))?.[1] ?? "";
      const isInherited = (Number.parseInt(flags, 8) & closeOnExec) === 0;
      if (Number(name) > stderr && isInherited) closeSync(Number(name));
    } catch {
      // That of the list itself.
    }
  }
}

/** O_CLOEXEC, which Node does not name. */
const closeOnExec = 0o2000000;

/**
 * Starts a program in a session of its own, without standard input. It goes on when this process
 * ends, and signals from the terminal do not reach it.
 *
 * @param folder its working folder
 * @param log descriptor of the file for its standard error, which is closed
 * @param signal ends the wait for its line
 * @returns `started` resolves to the JSON of its first line, or of its whole output if it ends;
 *   undefined for other output or if the wait ends; `kill` resolves once the program has ended
 * @throws an error if the program cannot be started
 */
export function startDetached(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
  log: number,
  signal: AbortSignal,
) {
  closeInherited();
  const stdio = ["ignore", "pipe", log] as const;
  const child = spawn(program, args, { detached: true, stdio: [...stdio], env, cwd: folder });
  closeSync(log);
  child.on("error", () => {});
  if (child.pid === undefined) throw new Error(`${program} cannot be started`);
  const ended = once(child, "exit");
  const started = new Promise<unknown>((resolve) => {
    let text = "";
    const end = (value?: unknown): void => {
      child.stdout!.destroy();
      child.unref();
      resolve(value);
    };
    child.stdout!.setEncoding("utf8").on("data", (part: string) => {
      text = (text + part).slice(0, maxCaptured);
      if (!text.includes("\n")) return;
      try {
        end(JSON.parse(text.slice(0, text.indexOf("\n"))));
      } catch {
        // An error, on several lines: the program ends.
      }
    });
    // Its output has arrived, too.
    child.once("close", () => end(readJson(text)));
    signal.addEventListener("abort", () => end(), { once: true });
  });
  const kill = async (): Promise<void> => {
    child.ref();
    child.kill("SIGKILL");
    await ended;
  };
  return { pid: child.pid, started, kill };
}

/** The result of a command: its exit code and the beginning of its output, or why it failed. */
export type Captured =
  | { readonly code: number; readonly text: string }
  | { readonly failure: "timeout" | "stopped" | "signal" | "not_started" };

/** The descriptor of standard error. */
const stderr = 2;

/** Characters of output to capture; the rest is dropped. */
const maxCaptured = 64 * 1024;

/**
 * Runs a command and captures its standard output. Its standard error goes to that of this process.
 *
 * @param command a command line for the system shell, or a program with its arguments
 * @param timeout in milliseconds
 * @param signal stops the command early
 * @param input its standard input (default: none)
 */
export function captureOutput(
  command: string | readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  timeout: number,
  signal: AbortSignal,
  input = "",
): Promise<Captured> {
  const isLine = typeof command === "string";
  const [program, ...args] = isLine ? [command] : command;
  // A process that the command leaves behind would keep open a pipe that our caller reads.
  const isTerminal = isatty(stderr);
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      shell: isLine,
      stdio: [input === "" ? "ignore" : "pipe", "pipe", isTerminal ? "inherit" : "pipe"],
      env,
      windowsHide: true,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    // A program that does not read its input closes the pipe.
    child.stdin?.on("error", () => {}).end(input);
    let text = "";
    let received = 0;
    const end = (captured: Captured): void => {
      // A process that the command started, such as an agent, may keep the pipe open.
      child.stdout?.destroy();
      child.stderr?.destroy();
      child.unref();
      resolve(captured);
    };
    child.stdout?.setEncoding("utf8").on("data", (part: string) => {
      received += part.length;
      text = (text + part).slice(0, maxCaptured);
    });
    child.stderr?.on("data", (part: Buffer) => {
      received += part.length;
      try {
        writeSync(stderr, part);
      } catch {
        // Its reader is gone, or slower than the command.
      }
    });
    /** Ends as soon as everything that the command has written is read. */
    const endOnceRead = (code: number | null): void => {
      const before = received;
      // What is in the pipe by now is read in the next turn of the event loop.
      setImmediate(() =>
        setImmediate(() => {
          if (received > before && received < maxCaptured) endOnceRead(code);
          else end(code === null ? { failure: "signal" } : { code, text });
        }),
      );
    };
    child.once("error", ({ name }) => {
      if (name !== "AbortError") end({ failure: "not_started" });
      else end({ failure: signal.aborted ? "stopped" : "timeout" });
    });
    child.once("exit", endOnceRead);
  });
}
