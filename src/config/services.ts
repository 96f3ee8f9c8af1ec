import { execFileSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { kill, platform } from "node:process";
import { isObject } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { makeFolder } from "../core/files.ts";
import { readJson } from "../core/json-text.ts";
import { replaceFile } from "../core/own-file.ts";
import type { Runtime } from "../core/runtime.ts";
import { inUserFolder, noHome } from "./profiles.ts";
import { readState } from "./state-file.ts";

/** A service that `local start` has started. */
export interface BackgroundService {
  readonly pid: number;
  /** When its process started, as the system has it: another process may get its number. */
  readonly started: string;
  /** Null until it responds. */
  readonly base_url: string | null;
  /** Absolute path of the file of `--write-env`. */
  readonly env_file: string;
  /** Absolute path of the folder of its database and of what it prints on stderr. */
  readonly temporary_folder: string;
}

/** Creates the folder of the registered services. @throws SendctlError "usage" if it cannot be used */
export function servicesFolder(runtime: Pick<Runtime, "env" | "home">): string {
  const folder = inUserFolder("XDG_STATE_HOME", runtime, "services");
  if (folder === undefined) throw noHome("set XDG_STATE_HOME");
  try {
    makeFolder(folder);
    accessSync(join(folder, "/"), constants.W_OK);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = "set XDG_STATE_HOME to a folder that you may write to";
    const message = `the folder ${folder} cannot be used (${code})`;
    throw new SendctlError("usage", message, { hint, cause: error });
  }
}

/** Registers a service, readable only by its owner. @throws the error of the file system */
export function register(
  folder: string,
  running: Omit<BackgroundService, "started">,
): BackgroundService {
  const service = { started: startOf(running.pid) ?? "", ...running };
  // No process outlives a loss of power.
  replaceFile(join(folder, `${service.pid}.json`), JSON.stringify(service), false);
  return service;
}

/** Removes what a service left behind: its registration, its database, and its file with the address and the key. */
export function forget(folder: string, service: BackgroundService): void {
  const { env_file: file, temporary_folder: temporary } = service;
  try {
    // Another service may have got the file.
    const isOwn = readState(file)?.includes(`SENDCTL_DATABASE=${join(temporary, "/")}`);
    if (isOwn === true) rmSync(file, { force: true });
  } catch {
    // Its folder cannot be changed any more.
  }
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  rmSync(join(folder, `${service.pid}.json`), { force: true });
}

/** Returns the registered services, those that have ended included. */
export function registeredServices(folder: string): BackgroundService[] {
  return readdirSync(folder).flatMap((name) => {
    const text = name.endsWith(".json") ? readState(join(folder, name)) : undefined;
    const found = text === undefined ? undefined : readJson(text);
    return isService(found) ? found : [];
  });
}

function isService(found: unknown): found is BackgroundService {
  if (!isObject(found) || !Number.isSafeInteger(found["pid"])) return false;
  const texts = ["started", "env_file", "temporary_folder"];
  return Number(found["pid"]) > 0 && texts.every((name) => typeof found[name] === "string");
}

/** Returns whether the process of a service exists, and is not another one with its number. */
export function isRunning(service: BackgroundService): boolean {
  return signalTo(service, 0);
}

/** Sends a signal to a service, 0 for none. Returns false if it has ended. */
export function signalTo(service: BackgroundService, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  const { pid, started } = service;
  try {
    return (startOf(pid) ?? "") === started && kill(pid, signal);
  } catch {
    return false;
  }
}

/** Returns when a process started, in the form of the system; undefined if it is unknown or has ended. */
function startOf(pid: number): string | undefined {
  try {
    if (platform === "win32") return undefined;
    if (platform !== "linux") {
      const words = ["TZ=UTC", "LC_ALL=C", "ps", "-o", "lstart=", "-p", String(pid)];
      return execFileSync("env", words, { encoding: "utf8" }).trim();
    }
    // The 22nd field; the second is the name of the program, in parentheses. A zombie has ended.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return "ended";
    // It counts from the start of the system, so another process can have the same after a restart.
    return `${readState("/proc/sys/kernel/random/boot_id")?.trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}
