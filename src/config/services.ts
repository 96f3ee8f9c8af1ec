import { readdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { isObject } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { fileHint } from "../core/files.ts";
import { readJson } from "../core/json-text.ts";
import { readOwnFile, writeOwnFile } from "../core/own-file.ts";
import type { Runtime } from "../core/runtime.ts";
import { removeAbandoned } from "../core/temporary-folder.ts";
import { shellWord } from "../core/text.ts";
import { hashOf } from "./journal.ts";
import { inUserFolder, noHome } from "./profiles.ts";

/** A service that `local start` has started. */
export interface BackgroundService {
  readonly pid: number;
  /** The machine on which it runs: others may have the same home. */
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  /** Absolute path of the file of `--write-env`. */
  readonly env_file: string;
  /** Null until the service responds, like the two fields below. */
  readonly base_url: string | null;
  /** The control address on 127.0.0.1, for `local stop`. Who knows it controls the service. */
  readonly control_url: string | null;
  /** Absolute path, in a temporary folder of its own. */
  readonly database: string | null;
}

/** Returns the folder of the registered services. @throws SendctlError "usage" without a home */
export function servicesFolder(runtime: Pick<Runtime, "env" | "home">): string {
  const folder = inUserFolder("XDG_STATE_HOME", runtime, "services");
  if (folder === undefined) throw noHome("set XDG_STATE_HOME");
  return folder;
}

/** Returns the error for the folder of the registered services. */
export function unusableFolder(folder: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof SendctlError || syscall === undefined) return error;
  const hint = ["ENOSPC", "EDQUOT"].includes(`${code}`)
    ? fileHint(error)
    : "set XDG_STATE_HOME to a folder that you may write to";
  const message = `the folder ${folder} cannot be used (${code})`;
  return new SendctlError("usage", message, { hint, cause: error });
}

/** Each machine has an entry of its own for a file. */
function entryOf(folder: string, host: unknown, envFile: unknown): string {
  return join(folder, `${hashOf([host, envFile])}.json`);
}

/** Registers a service, or replaces its entry. @throws the error of the file system */
export function register(folder: string, service: BackgroundService): void {
  const { host, env_file: file } = service;
  writeOwnFile(entryOf(folder, host, file), JSON.stringify(service));
}

/** Returns the service of this machine that is registered for a file. */
export function serviceFor(folder: string, envFile: string): BackgroundService | undefined {
  return readEntry(entryOf(folder, hostname(), envFile));
}

/** Reads an entry; undefined if it is invalid, such as one with another address. */
function readEntry(file: string): BackgroundService | undefined {
  const found = readJson(readOwnFile(file) ?? "");
  if (!isObject(found)) return undefined;
  const { pid, host, env_file, control_url: control, database } = found;
  const isControl = /^http:\/\/127\.0\.0\.1:\d+\/[\w-]+$/.test(String(control));
  const isComplete = isControl && typeof database === "string";
  const isStarting = control === null && database === null;
  const isNamed = file === entryOf(dirname(file), host, env_file);
  const isValid = Number.isSafeInteger(pid) && (isComplete || isStarting) && isNamed;
  return isValid ? (found as unknown as BackgroundService) : undefined;
}

/** Removes what an ended service left: its env file, its database, and its entry. */
export function forget(folder: string, service: BackgroundService): void {
  const { pid, host, env_file: file, database } = service;
  if (database !== null) {
    try {
      // Another service may have got the file.
      const isOurs = readOwnFile(file)?.includes(`SENDCTL_DATABASE=${shellWord(database)}\n`);
      if (isOurs === true) rmSync(file, { force: true });
    } catch {
      // Its folder cannot be changed any more.
    }
    removeAbandoned(dirname(dirname(database)), pid);
  }
  const entry = entryOf(folder, host, file);
  if (readEntry(entry)?.pid === pid) rmSync(entry, { force: true });
}

/**
 * Returns the registered services of this machine, those that have ended included. Other files in
 * the folder are ignored.
 *
 * @throws SendctlError "usage" if the folder cannot be read
 */
export function registeredServices(folder: string): readonly BackgroundService[] {
  try {
    return readdirSync(folder).flatMap((name) => {
      const found = name.endsWith(".json") ? readEntry(join(folder, name)) : undefined;
      return found?.host === hostname() ? [found] : [];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unusableFolder(folder, error);
  }
}
