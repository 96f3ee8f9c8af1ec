import type { SendctlError } from "../contract/error.ts";
import { exitCodeOfKind, type ExitCode } from "../output/exit-codes.ts";

/** What a check found. */
export interface Finding {
  readonly name: string;
  readonly status: "ok" | "warning" | "fault";
  readonly detail: string;
  /** What to do about it; null where there is nothing to do. */
  readonly mend: string | null;
  /** How a command would end on it; 0 for whatever is no fault. */
  readonly exitCode: ExitCode;
}

export function fine(name: string, detail: string): Finding {
  return { name, status: "ok", detail, mend: null, exitCode: 0 };
}

export function warning(name: string, detail: string, mend: string | null): Finding {
  return { name, status: "warning", detail, mend, exitCode: 0 };
}

export function fault(name: string, detail: string, mend: string, exitCode: ExitCode): Finding {
  return { name, status: "fault", detail, mend, exitCode };
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
): Finding {
  const exitCode = exitCodeOfKind(kind);
  return { name, status: "fault", detail: message, mend: hint ?? otherHint, exitCode };
}

/** Bytes for people. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const step = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const number = bytes / 1024 ** step;
  return `${step === 0 ? number : number.toFixed(1)} ${units[step]}`;
}
