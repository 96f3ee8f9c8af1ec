import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { kill, platform } from "node:process";
import { isObject } from "../contract/service.ts";
import { replaceFile } from "../core/own-file.ts";
import type { Runtime } from "../core/runtime.ts";
import { inUserFolder, noHome } from "./profiles.ts";

/** A service that `local start` has started. */
export interface BackgroundService {
  readonly pid: number;
  /** When its process started, as the system has it: another process may get its number. */
  readonly started: string;
  readonly base_url: string;
  /** Absolute path of the file of `--write-env`. */
  readonly env_file: string;
  /** Absolute path of what it prints on stderr. */
  readonly log: string;
}

/** Returns the folder of the registered services. @throws SendctlError "usage" without a home folder */
export function servicesFolder(runtime: Pick<Runtime, "env" | "home">): string {
  const folder = inUserFolder("XDG_STATE_HOME", runtime, "services");
  if (folder === undefined) throw noHome("set XDG_STATE_HOME");
  return folder;
}

/** Registers a service that runs, readable only by its owner. @throws the error of the file system */
export function register(
  folder: string,
  running: Omit<BackgroundService, "started">,
): BackgroundService {
  const service = { ...running, started: startOf(running.pid) ?? "" };
  replaceFile(join(folder, `${service.pid}.json`), JSON.stringify(service));
  return service;
}

/** Removes what a service left behind: its registration, its log, and its file with the address and the key. */
export function forget(folder: string, { pid, log, env_file, base_url }: BackgroundService): void {
  try {
    // Another service may have got the file.
    const isOwn = readFileSync(env_file, "utf8").includes(`SENDCTL_BASE_URL=${base_url}\n`);
    if (isOwn) rmSync(env_file, { force: true });
  } catch {
    // The service has removed it itself.
  }
  rmSync(log, { force: true });
  rmSync(join(folder, `${pid}.json`), { force: true });
}

/** Returns the services that run. What killed ones left behind is removed. */
export function runningServices(folder: string): BackgroundService[] {
  return registered(folder).filter((service) => {
    if (isRunning(service)) return true;
    forget(folder, service);
    return false;
  });
}

function registered(folder: string): BackgroundService[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    if (!name.endsWith(".json")) return [];
    try {
      const found: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
      return isService(found) ? found : [];
    } catch {
      return [];
    }
  });
}

function isService(found: unknown): found is BackgroundService {
  if (!isObject(found) || !Number.isSafeInteger(found["pid"])) return false;
  return ["started", "base_url", "env_file", "log"].every(
    (name) => typeof found[name] === "string",
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
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    }
    // The 22nd field; the second is the name of the program, in parentheses. A zombie has ended.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "ended" : fields[19];
  } catch {
    return undefined;
  }
}
