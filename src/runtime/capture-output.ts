import { spawn } from "node:child_process";

/** What became of a command: its exit code, and the beginning of what it printed. */
export type Captured =
  | { readonly code: number; readonly text: string }
  | { readonly failure: "timeout" | "stopped" | "signal" | "not_started" };

/** In characters: more of the output is not kept. */
const longest = 64 * 1024;

/**
 * Runs a command line in the shell of the system and captures its standard output. It has no standard input; what
 * it writes to standard error goes to that of this process.
 *
 * @param timeout in milliseconds
 * @param signal ends it early
 */
export function captureOutput(
  commandLine: string,
  env: Readonly<Record<string, string | undefined>>,
  timeout: number,
  signal: AbortSignal,
): Promise<Captured> {
  return new Promise((resolve) => {
    const child = spawn(commandLine, {
      shell: true,
      stdio: ["ignore", "pipe", "inherit"],
      env,
      windowsHide: true,
    });
    let text = "";
    const end = (captured: Captured): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      // What the shell started may hold the pipe for longer.
      child.stdout.destroy();
      child.unref();
      resolve(captured);
    };
    const stop = (): void => {
      child.kill();
      end({ failure: "stopped" });
    };
    const timer = setTimeout(() => {
      child.kill();
      end({ failure: "timeout" });
    }, timeout);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text = (text + part).slice(0, longest);
    });
    child.once("error", () => end({ failure: "not_started" }));
    child.once("close", (code) => end(code === null ? { failure: "signal" } : { code, text }));
  });
}
