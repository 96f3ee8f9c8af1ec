import { request } from "node:http";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { pid } from "node:process";
import {
  forget,
  register,
  registeredServices,
  serviceFor,
  servicesFolder,
  unusableFolder,
  type BackgroundService,
} from "../config/services.ts";
import type { Envelope } from "../contract/service.ts";
import { SendctlError, stoppedBy } from "../core/error.ts";
import { makeFolder } from "../core/files.ts";
import { withLock } from "../core/lock.ts";
import { isGone, openToAppend, readOwnFile } from "../core/own-file.ts";
import { startDetached } from "../core/programs.ts";
import { makeTemporaryFolder, removeAbandoned } from "../core/temporary-folder.ts";
import { safeLines, safeText, shellWord } from "../core/text.ts";
import { type Shared } from "./process.ts";

/** Milliseconds until a service responds or has ended, and until its control address responds. */
const timeout = 30_000;
const responseTimeout = 5_000;

/** The state of a registered service. A silent one does not respond: it may be suspended. */
export type ServiceState = "starting" | "running" | "silent" | "ended";

/** Creates access to the services of `local start`. @throws SendctlError "usage" without a home */
export function createBackground({ runtime, output, writers, cleanups, stopSignal }: Shared) {
  const folder = servicesFolder(runtime);
  const sleep = (time: number): Promise<void> => runtime.sleep(time, new AbortController().signal);
  /** Changes registrations, one process at a time. */
  const locked = async (change: () => void): Promise<void> => {
    try {
      makeFolder(folder);
      await withLock(join(folder, "lock"), change, sleep);
    } catch (error) {
      throw unusableFolder(folder, error);
    }
  };
  /**
   * Returns the existing ones, or that of a file, with state. Warns of leftovers and removes them.
   *
   * @param envFile absolute path
   */
  const existing = async (envFile?: string) => {
    const asked = registeredServices(folder)
      .filter(({ env_file: file }) => envFile === undefined || envFile === file)
      .map(async (service) => ({ ...service, state: await ask(service, "GET", "health") }));
    const found = await Promise.all(asked);
    for (const service of found.filter(({ state }) => state === "ended")) {
      await locked(() => forget(folder, service));
      const file = safeText(service.env_file);
      await output.warn(`the service for ${file} has ended; removed its leftover files`);
    }
    return found.filter(({ state }) => state !== "ended");
  };
  return {
    existing,
    /** Stops a service once it responds, and awaits its end. @returns false if it does not stop */
    stop: async ({ env_file: file, pid: id }: BackgroundService): Promise<boolean> => {
      const deadline = runtime.elapsed() + timeout;
      let state: ServiceState = "starting";
      while (state !== "silent" && runtime.elapsed() < deadline) {
        const service = serviceFor(folder, file);
        if (service?.pid !== id) return true;
        if (state === "starting") state = await ask(service, "POST", "stop");
        if (state === "ended" || isGone(id)) await locked(() => forget(folder, service));
        else await sleep(20);
      }
      return false;
    },
    /**
     * Registers this process as the service of a file, and removes the entry when its command ends.
     *
     * @param envFile absolute path
     * @returns a function that adds its addresses and its database
     * @throws SendctlError "conflict" if a service with this file runs or starts
     */
    register: async (envFile: string) => {
      const started_at = new Date(runtime.now() / 1000).toISOString();
      const entry = { pid, host: hostname(), started_at, env_file: envFile };
      const starting = { ...entry, base_url: null, control_url: null, database: null };
      await locked(() => {
        const other = serviceFor(folder, envFile);
        if (other !== undefined && !isGone(other.pid)) throw conflict(other);
        register(folder, starting);
      });
      cleanups.push(() => forget(folder, starting));
      return (known: Pick<BackgroundService, "base_url" | "control_url" | "database">): void =>
        register(folder, { ...starting, ...known });
    },
    /**
     * Starts a service and waits until it responds. After a failure or a signal, nothing is left.
     *
     * @param words the options of `serve --temporary`
     * @param envFile absolute path of its file
     * @throws SendctlError "conflict" if a service with this file runs or starts, "unavailable"
     *   with its output if it does not respond within 30 seconds
     */
    start: async (words: readonly string[], envFile: string): Promise<BackgroundService> => {
      const stopped = stopSignal();
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeout)]);
      await existing();
      const { file: log, remove } = makeTemporaryFolder("service.log", runtime);
      cleanups.push(remove);
      const { SENDCTL_PROFILE: _, ...env } = runtime.env;
      const program = [...runtime.program, "serve", ...words] as const;
      const child = startDetached(program, env, runtime.folder, openToAppend(log), signal);
      const answer = (await child.started) as Printed | undefined;
      const service = serviceFor(folder, envFile);
      const hasStarted = answer?.status === true && service?.pid === child.pid;
      if (hasStarted && !stopped.aborted) return service;
      await child.kill();
      const left = serviceFor(folder, envFile);
      if (left?.pid === child.pid) forget(folder, left);
      removeAbandoned(dirname(dirname(log)));
      if (stopped.aborted) throw stoppedBy(stopped.reason);
      if (answer?.status === false) {
        const { kind, hint } = answer.error!;
        const isConflict = kind === "conflict";
        const message = `${isConflict ? "" : "the service did not start: "}${answer.message}`;
        throw new SendctlError(isConflict ? kind : "unavailable", message, {
          hint: hint ?? undefined,
        });
      }
      const printed = readOwnFile(log)?.trimEnd() ?? "";
      if (printed !== "") await writers.err.write(`${safeLines(printed)}\n`);
      const within = signal.aborted ? " within 30 seconds" : "";
      throw new SendctlError("unavailable", `the service did not start${within}`);
    },
  };
}

/** What `serve --json` prints, or why it has refused to start. */
type Printed = Partial<Envelope> & {
  error?: { readonly kind: string; readonly hint: string | null };
};

/** Calls the control address of a service. No proxy is used, whatever the environment says. */
function ask(service: BackgroundService, method: string, call: string): Promise<ServiceState> {
  const { pid: id, control_url: control } = service;
  return new Promise((resolve) => {
    if (control === null) return resolve(isGone(id) ? "ended" : "starting");
    const failed = (code?: string): void => {
      if (code === "ECONNREFUSED" || isGone(id)) resolve("ended");
      // It is stopping.
      else resolve(code === "ECONNRESET" ? "running" : "silent");
    };
    const signal = AbortSignal.timeout(responseTimeout);
    request(`${control}/${call}`, { method, agent: false, signal }, (response) => {
      response.destroy();
      if (response.statusCode === 204) resolve("running");
      else failed();
    })
      .on("error", ({ code }: NodeJS.ErrnoException) => failed(code))
      .end();
  });
}

/** Returns the error for a file whose service runs or starts. */
function conflict({ env_file: file, base_url: address }: BackgroundService): SendctlError {
  const service = address === null ? "a service that is starting" : `the service on ${address}`;
  const hint = `sendctl local stop ${shellWord(file)}`;
  return new SendctlError("conflict", `${file} belongs to ${service}`, { hint });
}
