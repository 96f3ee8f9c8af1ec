import { dirname, join } from "node:path";
import { kill } from "node:process";
import {
  forget,
  isRunning,
  register,
  registeredServices,
  servicesFolder,
  type BackgroundService,
} from "../config/services.ts";
import { readState } from "../config/state-file.ts";
import { SendctlError } from "../core/error.ts";
import { makeTemporaryFolder } from "../core/files.ts";
import { withLock } from "../core/lock.ts";
import { startDetached } from "../core/programs.ts";
import { safeLines, safeText, shellWord } from "../core/text.ts";
import { interruption, type Shared } from "./process.ts";

/** The services of `local start`. */
export interface Background {
  /** Returns those that run or start. What killed ones left behind is removed, with a warning. */
  readonly running: () => Promise<readonly BackgroundService[]>;
  /**
   * Starts a service, and waits until it responds. If it does not, or a signal ends the wait, nothing of it is left.
   *
   * @param words the options of `serve --temporary`
   * @param envFile absolute path of its file
   * @throws SendctlError "conflict" if a service with this file runs or starts, "unavailable" with what it printed if it
   *   does not respond within 30 seconds
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

/**
 * Creates the access to services in the background.
 *
 * @throws SendctlError "usage" if they cannot be registered in the state folder
 */
export function createBackground({ runtime, output, writers, stopSignal }: Shared): Background {
  const folder = servicesFolder(runtime);
  const never = new AbortController().signal;
  const sleep = (milliseconds: number): Promise<void> => runtime.sleep(milliseconds, never);
  const hasEnded = async (service: BackgroundService, timeout: number): Promise<boolean> => {
    const deadline = runtime.elapsed() + timeout;
    while (isRunning(service)) {
      if (runtime.elapsed() > deadline) return false;
      await sleep(20);
    }
    return true;
  };
  const running = async (): Promise<readonly BackgroundService[]> => {
    const services = registeredServices(folder);
    for (const service of services.filter((one) => !isRunning(one))) {
      forget(folder, service);
      const file = safeText(service.env_file);
      await output.warn(`the service of ${file} was killed; removed what it left behind`);
    }
    return services.filter(isRunning);
  };
  const stop = async (service: BackgroundService): Promise<boolean> => {
    for (const [signal, timeout] of [
      ["SIGTERM", stopTimeout],
      ["SIGKILL", killTimeout],
    ] as const) {
      try {
        if (isRunning(service)) kill(service.pid, signal);
      } catch {
        // It has just ended.
      }
      if (await hasEnded(service, timeout)) {
        forget(folder, service);
        return true;
      }
    }
    return false;
  };
  /** Starts a process and registers it at once, so that whatever ends this one, it is known. */
  const launch = (words: readonly string[], envFile: string, signal: AbortSignal) => {
    const other = registeredServices(folder).find(
      (service) => service.env_file === envFile && isRunning(service),
    );
    if (other !== undefined) throw conflict(other);
    const { file: log } = makeTemporaryFolder("service.log", runtime);
    const temporary = dirname(log);
    const { SENDCTL_PROFILE: _, ...others } = runtime.env;
    const env = { ...others, TMPDIR: temporary };
    const program = [...runtime.program, "serve", ...words] as const;
    const { pid, started } = startDetached(program, env, runtime.folder, log, signal);
    const service = { pid, base_url: null, env_file: envFile, temporary_folder: temporary };
    return { service: register(folder, service), started, log };
  };
  return {
    running,
    start: async (words, envFile) => {
      const stopped = stopSignal();
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(startTimeout)]);
      await running();
      const act = () => launch(words, envFile, signal);
      const { service, started, log } = await withLock(join(folder, "start.lock"), act, sleep);
      const listening = (await started) as Listening | undefined;
      if (listening !== undefined && !stopped.aborted) {
        return register(folder, { ...service, base_url: listening.data.base_url });
      }
      const printed = readState(log)?.trimEnd() ?? "";
      await stop(service);
      if (stopped.aborted) throw interruption(stopped);
      if (printed !== "") await writers.err.write(`${safeLines(printed)}\n`);
      const within = signal.aborted ? " within 30 seconds" : "";
      throw new SendctlError("unavailable", `the service did not start${within}`);
    },
    stop,
  };
}

/** Returns the error for a file whose service runs or starts. */
function conflict({ env_file: file, base_url: address }: BackgroundService): SendctlError {
  const service = address === null ? "a service that is starting" : `the service on ${address}`;
  const hint = `sendctl local stop ${shellWord(file)}`;
  return new SendctlError("conflict", `${file} is the file of ${service}`, { hint });
}
