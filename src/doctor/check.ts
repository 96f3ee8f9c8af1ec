import type { Settings } from "../config/settings.ts";
import type { ErrorKind, SendctlError } from "../core/error.ts";
import type { Runtime } from "../core/runtime.ts";
import { statSync } from "node:fs";
import { platform } from "node:process";
import { shellWord } from "../core/text.ts";

export interface CheckInput {
  readonly settings: Settings;
  /** Errors in the settings; `settings` has the defaults in their place. */
  readonly settingsErrors: readonly SendctlError[];
  /** Why the key command returned no key. */
  readonly keyFailure?: SendctlError | undefined;
  readonly runtime: Pick<Runtime, "env" | "home" | "folder" | "now" | "elapsed">;
  /** Time limit of each check, in milliseconds. */
  readonly timeout: number;
  /** Aborts the running check. */
  readonly signal: AbortSignal;
}

/** What a check found. */
export interface Finding {
  readonly status: "ok" | "warning" | "error";
  readonly detail: string;
  /** How to fix it; null if there is nothing to do. */
  readonly fix: string | null;
  /** The kind of error that a command would end with; null unless the status is "error". */
  readonly kind: ErrorKind | null;
}

export interface CheckResult extends Finding {
  readonly name: string;
}

/** What was found, by name of the check, in the order in which it is shown. */
export type Findings = Readonly<Record<string, Finding | readonly Finding[]>>;

/** Examines one part of the installation. A SendctlError that it throws is its result. */
export interface Check {
  /** The name of its first finding, which is also used if it fails. */
  readonly name: string;
  readonly run: (input: CheckInput) => Findings | Promise<Findings>;
}

export function ok(detail: string): Finding {
  return { status: "ok", detail, fix: null, kind: null };
}

export function warning(detail: string, fix: string | null): Finding {
  return { status: "warning", detail, fix, kind: null };
}

export function failed(detail: string, fix: string, kind: ErrorKind): Finding {
  return { status: "error", detail, fix, kind };
}

/** Returns an error as a finding. @param otherHint the fix for an error without a hint */
export function failedWith(
  { kind, message, hint }: SendctlError,
  otherHint = "see `sendctl help`",
): Finding {
  return failed(message, hint ?? otherHint, kind);
}

/**
 * Checks whether others may use a file. Windows has no such permission bits: Node reports the same
 * ones for every file.
 *
 * @returns the file, and the command that restricts it; undefined if it is private, and on Windows
 */
export function openToOthers(file: string, system: NodeJS.Platform = platform) {
  const mode = statSync(file).mode & 0o777;
  if (system === "win32" || (mode & 0o077) === 0) return undefined;
  const octal = mode.toString(8).padStart(3, "0");
  return {
    detail: `open to others: ${file} (${octal})`,
    fix: `chmod 600 ${shellWord(file)}`,
  };
}
