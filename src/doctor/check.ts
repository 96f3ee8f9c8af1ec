import type { ErrorKind, SendctlError } from "../contract/error.ts";

/** What a check found. */
export interface CheckResult {
  readonly name: string;
  readonly status: "ok" | "warning" | "fault";
  readonly detail: string;
  /** What to do about it; null where there is nothing to do. */
  readonly fix: string | null;
  /** The kind of error that a command would end with; null unless the status is "fault". */
  readonly kind: ErrorKind | null;
}

export function fine(name: string, detail: string): CheckResult {
  return { name, status: "ok", detail, fix: null, kind: null };
}

export function warning(name: string, detail: string, fix: string | null): CheckResult {
  return { name, status: "warning", detail, fix, kind: null };
}

export function fault(name: string, detail: string, fix: string, kind: ErrorKind): CheckResult {
  return { name, status: "fault", detail, fix, kind };
}

/**
 * Returns an error as a finding.
 *
 * @param otherHint for an error without a hint of its own
 */
export function faultOf(
  name: string,
  { kind, message, hint }: SendctlError,
  otherHint = "see `sendctl help`",
): CheckResult {
  return { name, status: "fault", detail: message, fix: hint ?? otherHint, kind };
}

/** Bytes for people. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const step = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const number = bytes / 1024 ** step;
  return `${step === 0 ? number : number.toFixed(1)} ${units[step]}`;
}
