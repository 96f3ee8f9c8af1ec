import { spawn } from "node:child_process";

/** The result of a command: its exit code and the beginning of its output, or why it failed. */
export type Captured =
  | { readonly code: number; readonly text: string }
  | { readonly failure: "timeout" | "stopped" | "signal" | "not_started" };

/** Characters of output to capture; the rest is dropped. */
const maxCaptured = 64 * 1024;

/**
 * Runs a command line in the system shell and captures its standard output. The command has no standard input and
 * shares the standard error of this process.
 *
 * @param timeout in milliseconds
 * @param signal stops the command early
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
      // A process started by the shell may keep the pipe open.
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
      text = (text + part).slice(0, maxCaptured);
    });
    child.once("error", () => end({ failure: "not_started" }));
    child.once("close", (code) => end(code === null ? { failure: "signal" } : { code, text }));
  });
}
