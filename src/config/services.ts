import { execFileSync } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { kill, platform } from "node:process";
import { isObject } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { makeFolder } from "../core/files.ts";
import { replaceFile } from "../core/own-file.ts";
import type { Runtime } from "../core/runtime.ts";
import { inUserFolder, noHome } from "./profiles.ts";

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

/**
 * Returns the folder of the registered services, and creates it.
 *
 * @throws SendctlError "usage" without a home folder, and for a folder that cannot be written to
 */
export function servicesFolder(runtime: Pick<Runtime, "env" | "home">): string {
  const folder = inUserFolder("XDG_STATE_HOME", runtime, "services");
  if (folder === undefined) throw noHome("set XDG_STATE_HOME");
  try {
    makeFolder(folder);
    accessSync(join(folder, "/"), constants.W_OK);
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SendctlError("usage", `the folder ${folder} cannot be used (${code})`, {
      hint: "set XDG_STATE_HOME to a folder that you may write to",
      file: folder,
      cause: error,
    });
  }
}

/** Registers a service, readable only by its owner. @throws the error of the file system */
export function register(
  folder: string,
  running: Omit<BackgroundService, "started">,
): BackgroundService {
  const service = { started: startOf(running.pid) ?? "", ...running };
  replaceFile(fileOf(folder, service), JSON.stringify(service));
  return service;
}

/** Removes what a service left behind: its registration, its database, and its file with the address and the key. */
export function forget(folder: string, service: BackgroundService): void {
  const { env_file: file, temporary_folder: temporary } = service;
  try {
    // Another service may have got the file.
    const isOwn = readFileSync(file, "utf8").includes(`SENDCTL_DATABASE=${join(temporary, "/")}`);
    if (isOwn) rmSync(file, { force: true });
  } catch {
    // The service has removed it itself.
  }
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  rmSync(fileOf(folder, service), { force: true });
}

/** Returns the registered services, those that have ended included. */
export function registeredServices(folder: string): BackgroundService[] {
  return readdirSync(folder).flatMap((name) => {
    if (!name.endsWith(".json")) return [];
    try {
      const found: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
      return isService(found) && fileOf("", found) === name ? found : [];
    } catch {
      return [];
    }
  });
}

function fileOf(folder: string, { temporary_folder: temporary }: BackgroundService): string {
  return join(folder, `${basename(temporary)}.json`);
}

/** A damaged registration must neither signal other processes nor remove other folders. */
function isService(found: unknown): found is BackgroundService {
  if (!isObject(found)) return false;
  const { pid, base_url: address, started, env_file: file, temporary_folder: temporary } = found;
  const texts = [address ?? "", started, file, temporary];
  return (
    Number.isSafeInteger(pid) && Number(pid) > 0 && texts.every((text) => typeof text === "string")
  );
}

/** Returns whether the process of a service exists, and is not another one with its number. */
export function isRunning({ pid, started }: Pick<BackgroundService, "pid" | "started">): boolean {
  try {
    kill(pid, 0);
  } catch {
    return false;
  }
  return (startOf(pid) ?? "") === started;
}

/** Returns when a process started, in the form of the system; undefined if it is unknown or has ended. */
function startOf(pid: number): string | undefined {
  try {
    if (platform === "win32") return undefined;
    if (platform !== "linux") {
      // The same in every locale and time zone.
      const env = { LC_ALL: "C", TZ: "UTC" };
      const words = ["-o", "lstart=", "-p", String(pid)];
      return execFileSync("/bin/ps", words, { encoding: "utf8", env }).trim();
    }
    // The 22nd field; the second is the name of the program, in parentheses. A zombie has ended.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return "ended";
    // It counts from the start of the system, so another process can have the same after a restart.
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}
