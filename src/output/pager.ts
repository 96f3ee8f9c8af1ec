import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { type Runtime, withTerminal } from "../core/runtime.ts";

/** Exit codes of a shell that cannot run a command. */
const notRun: ReadonlySet<unknown> = new Set([126, 127]);

/** Runs a program that sees or changes the modes of the terminal. */
function stty(mode: string): string {
  const words = ["-c", `stty ${mode} </dev/tty`];
  return spawnSync("/bin/sh", words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .stdout;
}

/**
 * Shows a text in a pager. A signal ends the pager, too, and the terminal is left as it was before.
 *
 * @param command for the shell
 * @returns false if the pager cannot be run
 * @throws SendctlError "cancelled", "terminated", "hung_up" or "quit" after a signal
 */
export async function showInPager(
  command: string,
  text: string,
  runtime: Runtime,
): Promise<boolean> {
  const modes = /^[\w:=-]+/.exec(stty("-g") ?? "")?.[0];
  const restore = (): void => void (modes !== undefined && stty(modes));
  return withTerminal(runtime, restore, async (signal, end) => {
    // Like git: colours, no screen for a short text, and the text remains on the terminal.
    const env = { LESS: "FRX", LV: "-c", ...runtime.env };
    const pager = spawn(command, { shell: true, stdio: ["pipe", "inherit", "inherit"], env });
    signal.addEventListener("abort", () => pager.kill(), { once: true });
    // The pager may end before it has read everything.
    pager.stdin.on("error", () => {});
    pager.stdin.end(text);
    const [code, ending] = (await once(pager, "exit")) as [number | null, NodeJS.Signals | null];
    // The keyboard sends it to both, and the end of the pager may be noticed first.
    if (ending === "SIGINT" || ending === "SIGQUIT") end(ending);
    await setImmediate();
    if (!signal.aborted) return !notRun.has(code);
    restore();
    throw new Error("the pager was ended");
  });
}
