import { dirname, join } from "node:path";
import { kill } from "node:process";
import {
  forget,
  isRunning,
  makeServicesFolder,
  register,
  registeredServices,
  servicesFolder,
  signalTo,
  unusableFolder,
  type BackgroundService,
} from "../config/services.ts";
import type { Envelope } from "../contract/service.ts";
import { openToAppend, readOwnFile } from "../core/own-file.ts";
import { SendctlError, stoppedBy } from "../core/error.ts";
import { makeTemporaryFolder } from "../core/temporary-folder.ts";
import { withLock } from "../core/lock.ts";
import { startDetached } from "../core/programs.ts";
import { safeLines, safeText, shellWord } from "../core/text.ts";
import { type Shared } from "./process.ts";

/** In milliseconds. */
const startTimeout = 30_000;
const endings = [
  ["SIGTERM", 10_000],
  ["SIGKILL", 2000],
] as const;

/** Creates the access to the services of `local start`. @throws SendctlError "usage" without a home */
export function createBackground({ runtime, output, writers, stopSignal }: Shared) {
  const folder = servicesFolder(runtime);
  const sleep = (time: number): Promise<void> => runtime.sleep(time, new AbortController().signal);
  /** Returns those that run or start. What others left behind is removed, with a warning. */
  const running = async (): Promise<readonly BackgroundService[]> => {
    const { services, ignored } = registeredServices(folder);
    for (const name of ignored) {
      const file = safeText(join(folder, name));
      await output.warn(`ignored ${file}: not a registration, or not a private file of this user`);
    }
    // Asked once: a service may end at any time.
    const alive = services.filter(isRunning);
    for (const service of services.filter((one) => !alive.includes(one))) {
      forget(folder, service);
      const file = safeText(service.env_file);
      await output.warn(`the service for ${file} has ended; removed its leftover files`);
    }
    return alive;
  };
  /** Ends a service, and removes what it leaves. @returns false if its process does not end */
  const stop = async (service: BackgroundService): Promise<boolean> => {
    for (const [signal, timeout] of endings) {
      signalTo(service, signal);
      const deadline = runtime.elapsed() + timeout;
      while (isRunning(service) && runtime.elapsed() < deadline) await sleep(20);
      if (isRunning(service)) continue;
      forget(folder, service);
      return true;
    }
    return false;
  };
  return {
    running,
    /**
     * Starts a service, and waits until it responds. If it does not, or a signal ends the wait, nothing of it is left.
     *
     * @param words the options of `serve --temporary`
     * @param envFile absolute path of its file
     * @param logFile absolute path of a file for its standard error, which stays (default: a temporary one)
     * @throws SendctlError "conflict" if a service with this file runs or starts, "unavailable" with what it printed if
     *   it does not respond within 30 seconds
     */
    start: async (
      words: readonly string[],
      envFile: string,
      logFile: string | undefined,
    ): Promise<BackgroundService> => {
      const stopped = stopSignal();
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(startTimeout)]);
      makeServicesFolder(folder);
      await running();
      // The process is registered at once: whatever ends this one, other commands know of it.
      const launch = () => {
        const services = registeredServices(folder).services.filter(isRunning);
        const other = services.find(({ env_file }) => env_file === envFile);
        if (other !== undefined) throw conflict(other);
        const { file, remove } = makeTemporaryFolder("service.log", runtime);
        const log = logFile ?? file;
        const { SENDCTL_PROFILE: _, ...others } = runtime.env;
        const env = { ...others, TMPDIR: dirname(file) };
        const program = [...runtime.program, "serve", ...words] as const;
        let pid: number | undefined;
        try {
          const running = startDetached(program, env, runtime.folder, openToAppend(log), signal);
          pid = running.pid;
          const paths = { env_file: envFile, temporary_folder: env.TMPDIR };
          const started_at = new Date(runtime.now() / 1000).toISOString();
          const service = register(folder, { pid, started_at, base_url: null, ...paths });
          return { service, started: running.started, log };
        } catch (error) {
          // No other command would know of it.
          if (pid !== undefined) kill(pid, "SIGKILL");
          remove();
          throw error;
        }
      };
      const { service, started, log } = await withLock(join(folder, "lock"), launch, sleep).catch(
        (error: unknown) => {
          throw unusableFolder(folder, error);
        },
      );
      const answer = (await started) as Printed | undefined;
      if (answer?.status === true && !stopped.aborted) {
        try {
          return register(folder, { ...service, base_url: answer.data!.base_url });
        } catch (error) {
          await stop(service);
          throw unusableFolder(folder, error);
        }
      }
      const printed = readOwnFile(log)?.trimEnd() ?? "";
      await stop(service);
      if (stopped.aborted) throw stoppedBy(stopped.reason);
      if (answer?.status === false) {
        const { hint } = answer.error!;
        const details = hint === null ? {} : { hint };
        const message = `the service did not start: ${answer.message}`;
        throw new SendctlError("unavailable", message, details);
      }
      if (printed !== "") await writers.err.write(`${safeLines(printed)}\n`);
      const within = signal.aborted ? " within 30 seconds" : "";
      throw new SendctlError("unavailable", `the service did not start${within}`);
    },
    stop,
  };
}

/** What `serve --json` prints, or why it has refused to start. */
type Printed = Partial<Envelope<{ base_url: string }>> & { error?: { hint: string | null } };

/** Returns the error for a file whose service runs or starts. */
function conflict({ env_file: file, base_url: address }: BackgroundService): SendctlError {
  const service = address === null ? "a service that is starting" : `the service on ${address}`;
  const hint = `sendctl local stop ${shellWord(file)}`;
  return new SendctlError("conflict", `${file} belongs to ${service}`, { hint });
}
