import type { ErrorKind, SendctlError } from "../contract/error.ts";

/** The outcome of a check. */
export interface CheckResult {
  readonly name: string;
  readonly status: "ok" | "warning" | "error";
  readonly detail: string;
  /** How to fix it; null if there is nothing to do. */
  readonly fix: string | null;
  /** The kind of error that a command would end with; null unless the status is "error". */
  readonly kind: ErrorKind | null;
}

export function ok(name: string, detail: string): CheckResult {
  return { name, status: "ok", detail, fix: null, kind: null };
}

export function warning(name: string, detail: string, fix: string | null): CheckResult {
  return { name, status: "warning", detail, fix, kind: null };
}

export function failed(name: string, detail: string, fix: string, kind: ErrorKind): CheckResult {
  return { name, status: "error", detail, fix, kind };
}

/**
 * Returns the result of a check that ended with an error.
 *
 * @param otherHint the fix for an error without a hint
 */
export function failedWith(
  name: string,
  { kind, message, hint }: SendctlError,
  otherHint = "see `sendctl help`",
): CheckResult {
  return failed(name, message, hint ?? otherHint, kind);
}

/** Formats a number of bytes for people. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const step = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const number = bytes / 1024 ** step;
  return `${step === 0 ? number : number.toFixed(1)} ${units[step]}`;
}
