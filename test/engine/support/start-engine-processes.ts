import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { onTestFinished } from "vitest";
import type { Job, Outcome } from "./engine-process.ts";

export interface EngineProcess {
  /** One job at a time. */
  readonly ask: (job: Job) => Promise<Outcome>;
}

/** Bundled, because Node 20 runs no TypeScript; the addon is loaded from where it is installed. */
async function bundle(folder: string): Promise<string> {
  const file = join(folder, "engine-process.cjs");
  await build({
    input: fileURLToPath(new URL("./engine-process.ts", import.meta.url)),
    platform: "node",
    external: [/^better-sqlite3/],
    // One file, with what is imported dynamically in it.
    output: { file, format: "cjs", codeSplitting: false },
    logLevel: "warn",
  });
  const addon = createRequire(import.meta.url).resolve("better-sqlite3/package.json");
  await symlink(dirname(dirname(addon)), join(folder, "node_modules"));
  return file;
}

function start(command: readonly string[], options: { readonly uid?: number }): EngineProcess {
  const [program, ...args] = command;
  const child = spawn(program!, args, { ...options, stdio: ["ignore", 1, 2, "ipc"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const ended = once(child, "exit").then(([code, signal]): never => {
    throw new Error(`the process ended with ${code ?? signal}`);
  });
  // It ends in any case; only who waits for an answer minds.
  ended.catch(() => {});
  return {
    ask: async (job) => {
      const answered = once(child, "message") as Promise<[Outcome]>;
      child.send(job);
      const [outcome] = await Promise.race([answered, ended]);
      return outcome;
    },
  };
}

/**
 * Processes of the running test's own, that do what they are asked on databases.
 *
 * @param folder where to put the program
 * @param before what a shell does first, such as setting a limit; then it has to `exec "$@"`
 */
export async function startProcesses(
  folder: string,
  { count = 1, before, uid }: { count?: number; before?: string; uid?: number } = {},
): Promise<readonly EngineProcess[]> {
  const program = [process.execPath, await bundle(folder)];
  const command = before === undefined ? program : ["/bin/sh", "-c", before, "sh", ...program];
  return Array.from({ length: count }, () => start(command, uid === undefined ? {} : { uid }));
}
