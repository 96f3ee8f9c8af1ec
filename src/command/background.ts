import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { kill } from "node:process";
import {
  forget,
  isRunning,
  register,
  runningServices,
  servicesFolder,
  type BackgroundService,
} from "../config/services.ts";
import { SendctlError } from "../core/error.ts";
import { startDetached } from "../core/programs.ts";
import { safeLines } from "../core/text.ts";
import { interruption, type Shared } from "./process.ts";

/** The services of `local start`. */
export interface Background {
  /** Returns those that run. What killed ones left behind is removed. */
  readonly running: () => readonly BackgroundService[];
  /**
   * Starts a service, and waits until it responds.
   *
   * @param words the options of `serve --temporary`
   * @param envFile absolute path of its file
   * @throws SendctlError "unavailable" with what it printed if it does not respond within 30 seconds
   */
  readonly start: (words: readonly string[], envFile: string) => Promise<BackgroundService>;
  /** Ends a service, and removes what it leaves. @returns false if its process does not end */
  readonly stop: (service: BackgroundService) => Promise<boolean>;
}

/** What `serve --json` prints. */
interface Listening {
  readonly data: { readonly base_url: string };
}

/** In milliseconds. */
const startTimeout = 30_000;
const [stopTimeout, killTimeout] = [10_000, 2000];

/** Creates the access to services in the background. @throws SendctlError "usage" without a home folder */
export function createBackground({ runtime, writers, stopSignal }: Shared): Background {
  const folder = servicesFolder(runtime);
  const hasEnded = async (service: BackgroundService, timeout: number): Promise<boolean> => {
    const deadline = runtime.elapsed() + timeout;
    while (isRunning(service)) {
      if (runtime.elapsed() > deadline) return false;
      await runtime.sleep(20, stopSignal());
    }
    return true;
  };
  return {
    running: () => runningServices(folder),
    start: async (words, envFile) => {
      const log = join(folder, `${randomUUID()}.log`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const descriptor = openSync(log, "wx", 0o600);
      const signal = stopSignal();
      const { SENDCTL_PROFILE: _, ...env } = runtime.env;
      const child = await startDetached(
        [...runtime.program, "serve", ...words],
        env,
        runtime.folder,
        descriptor,
        AbortSignal.any([signal, AbortSignal.timeout(startTimeout)]),
      ).finally(() => closeSync(descriptor));
      const listening = (await child.started) as Listening | undefined;
      if (listening !== undefined) {
        const { base_url } = listening.data;
        return register(folder, { pid: child.pid, base_url, env_file: envFile, log });
      }
      child.kill();
      const printed = readFileSync(log, "utf8").trimEnd();
      rmSync(log, { force: true });
      if (signal.aborted) throw interruption(signal);
      if (printed !== "") await writers.err.write(`${safeLines(printed)}\n`);
      const within = printed === "" ? " within 30 seconds" : "";
      throw new SendctlError("unavailable", `the service did not start${within}`);
    },
    stop: async (service) => {
      for (const [signal, timeout] of [
        ["SIGTERM", stopTimeout],
        ["SIGKILL", killTimeout],
      ] as const) {
        kill(service.pid, signal);
        if (await hasEnded(service, timeout)) {
          forget(folder, service);
          return true;
        }
      }
      return false;
    },
  };
}
