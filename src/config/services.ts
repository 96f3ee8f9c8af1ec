import { accessSync, constants, lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { getuid, kill, platform } from "node:process";
import { isObject } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { fileHint, makeFolder } from "../core/files.ts";
import { readJson } from "../core/json-text.ts";
import { shellWord } from "../core/text.ts";
import { readOwnFile, replaceFile } from "../core/own-file.ts";
import { startOf, systemName, wordsOf } from "../core/lock.ts";
import type { Runtime } from "../core/runtime.ts";
import { inUserFolder, noHome } from "./profiles.ts";

/** A service that `local start` has started. */
export interface BackgroundService {
  readonly pid: number;
  /** When its process started, as the system has it: another process may get its number. */
  readonly started: string;
  /** The machine or container whose processes have these numbers. */
  readonly system: string;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** Null until it responds. */
  readonly base_url: string | null;
  /** Absolute path of the file of `--write-env`. */
  readonly env_file: string;
  /** Absolute path of the folder of its database and of what it prints on stderr. */
  readonly temporary_folder: string;
}

/** Returns the folder of the registered services. @throws SendctlError "usage" without a home */
export function servicesFolder(runtime: Pick<Runtime, "env" | "home">): string {
  const folder = inUserFolder("XDG_STATE_HOME", runtime, "services");
  if (folder === undefined) throw noHome("set XDG_STATE_HOME");
  return folder;
}

/** Creates that folder. @throws SendctlError "usage" if it cannot be used */
export function makeServicesFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(join(folder, "/"), constants.W_OK);
  } catch (error) {
    throw unusableFolder(folder, error);
  }
}

/** Returns the error for the folder of the registered services, or the one that has another cause. */
export function unusableFolder(folder: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof SendctlError || syscall === undefined) return error;
  const hint = ["ENOSPC", "EDQUOT"].includes(`${code}`)
    ? fileHint(error)
    : "set XDG_STATE_HOME to a folder that you may write to";
  const message = `the folder ${folder} cannot be used (${code})`;
  return new SendctlError("usage", message, { hint, cause: error });
}

/** Registers a service, readable only by its owner. @throws the error of the file system */
export function register(
  folder: string,
  running: Omit<BackgroundService, "started" | "system">,
): BackgroundService {
  const service = { started: startOf(running.pid) ?? "", system: systemName(), ...running };
  // No process outlives a loss of power.
  replaceFile(join(folder, `${service.pid}.json`), JSON.stringify(service), false);
  return service;
}

/**
 * Removes what a service left behind: its registration, its database, and its file with the address and the key. The
 * registration is only a hint: what `local start` has not made stays.
 */
export function forget(folder: string, service: BackgroundService): void {
  const { env_file: file, temporary_folder: temporary } = service;
  try {
    // Another service may have got the file.
    const named = `SENDCTL_DATABASE=${shellWord(join(temporary, "/")).replace(/'$/, "")}`;
    if (readOwnFile(file)?.includes(named) === true) rmSync(file, { force: true });
    if (isOurFolder(temporary)) {
      rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
    }
  } catch {
    // Its folder cannot be changed any more.
  }
  rmSync(join(folder, `${service.pid}.json`), { force: true });
}

/** Returns whether `local start` has made a folder, which has what the service prints, and its database. */
function isOurFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || !/^sendctl-\w{6}$/.test(basename(path))) return false;
  const caller = getuid?.();
  if (caller !== undefined && (found.uid !== caller || (found.mode & 0o077) !== 0)) return false;
  return readdirSync(path).every((name) => name === "service.log" || /^sendctl-\w{6}$/.test(name));
}

/** Returns the names in the folder of the registered services, none without one. @throws SendctlError "usage" */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unusableFolder(folder, error);
  }
}

/**
 * Returns the registered services, those that have ended included, and the names of files that are no registrations or that
 * somebody else may have written. Services of other machines and containers with this home are left alone.
 *
 * @throws SendctlError "usage" if they cannot be read
 */
export function registeredServices(folder: string) {
  const services: BackgroundService[] = [];
  const ignored: string[] = [];
  for (const name of namesIn(folder)) {
    if (!name.endsWith(".json")) continue;
    const text = readOwnFile(join(folder, name), { maxBytes: 64 * 1024, isObeyed: true });
    const found = text === undefined ? undefined : readJson(text);
    if (!isService(found) || name !== `${found.pid}.json`) ignored.push(name);
    else if (found.system === systemName()) services.push(found);
  }
  return { services, ignored };
}

function isService(found: unknown): found is BackgroundService {
  if (!isObject(found) || !Number.isSafeInteger(found["pid"])) return false;
  const texts = ["started", "started_at", "system", "env_file", "temporary_folder"];
  if (Number(found["pid"]) <= 1 || !texts.every((name) => typeof found[name] === "string")) {
    return false;
  }
  const paths = [String(found["env_file"]), String(found["temporary_folder"])];
  return paths.every((path) => isAbsolute(path) && !path.includes("\0"));
}

/** Returns whether the process of a service exists, and is not another one with its number. */
export function isRunning(service: BackgroundService): boolean {
  return signalTo(service, 0);
}

/** Sends a signal to a service, 0 for none. Returns false if it has ended. */
export function signalTo(service: BackgroundService, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  const { pid, started } = service;
  try {
    return (startOf(pid) ?? "") === started && isServe(service) && kill(pid, signal);
  } catch {
    return false;
  }
}

/** Returns whether a process is one of `serve` with the file of a service. */
function isServe({ pid, env_file: file }: BackgroundService): boolean {
  if (platform === "win32") return true;
  const words = wordsOf(pid);
  return words.includes("serve") && words.join(" ").includes(file);
}
