import type { Runtime } from "../core/runtime.ts";

/** Shows a text to the reader. Returns false if that was not possible. */
export type Pager = (text: string) => Promise<boolean>;

/** Exit codes of a shell that cannot run a command. */
const notRun: ReadonlySet<number | null> = new Set([126, 127]);

/** Returns the pager in SENDCTL_PAGER or PAGER, a shell command; undefined without one, and if stdout is no terminal. */
export function pagerOf({ env, stdout }: Pick<Runtime, "env" | "stdout">): Pager | undefined {
  const command = (env["SENDCTL_PAGER"] ?? env["PAGER"] ?? "").trim();
  if (command === "" || command === "cat" || stdout.isTTY !== true || env["CI"]) return undefined;
  return async (text) => {
    const { spawnSync } = await import("node:child_process");
    // Like git: colours, no screen for a short text, and the text remains on the terminal.
    const options = { LESS: "FRX", LV: "-c", ...env };
    const { status } = spawnSync(command, {
      shell: true,
      input: text,
      stdio: ["pipe", "inherit", "inherit"],
      env: options,
    });
    return !notRun.has(status);
  };
}
