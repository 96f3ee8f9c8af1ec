import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { onTestFinished } from "vitest";
import type { Job, Outcome } from "./engine-process.ts";

export interface EngineProcess {
  /** Runs one job at a time. */
  readonly run: (job: Job) => Promise<Outcome>;
}

/**
 * Bundles the program, because Node 20 cannot run TypeScript. The addon is loaded from where it is
 * installed.
 */
async function bundle(folder: string): Promise<string> {
  const file = join(folder, "engine-process.cjs");
  await build({
    input: fileURLToPath(new URL("./engine-process.ts", import.meta.url)),
    platform: "node",
    // One file that includes dynamic imports.
    output: { file, format: "cjs", codeSplitting: false },
    logLevel: "warn",
  });
  await symlink(join(import.meta.dirname, "../../../node_modules"), join(folder, "node_modules"));
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
  // The process always ends eventually, which matters only while a job is running.
  ended.catch(() => {});
  return {
    run: async (job) => {
      const finished = once(child, "message") as Promise<[Outcome]>;
      child.send(job);
      const [outcome] = await Promise.race([finished, ended]);
      return outcome;
    },
  };
}

/**
 * Starts processes for the running test that run jobs on databases.
 *
 * @param folder the folder in which to write the program
 * @param before shell commands that run first, for example to set a limit, and end with `exec "$@"`
 */
export async function startProcesses(
  folder: string,
  { count = 1, before, uid }: { count?: number; before?: string; uid?: number } = {},
): Promise<readonly EngineProcess[]> {
  const program = [process.execPath, await bundle(folder)];
  const command = before === undefined ? program : ["/bin/sh", "-c", before, "sh", ...program];
  return Array.from({ length: count }, () => start(command, uid === undefined ? {} : { uid }));
}
