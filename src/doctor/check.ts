import type { Settings } from "../config/settings.ts";
import type { SendctlError } from "../contract/error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { CheckResult } from "./check-result.ts";

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
  /** Removes secrets from a text. */
  readonly hide: (text: string) => string;
}

/** Examines one part of the installation and changes nothing. */
export interface Check {
  /** The name of its first result, which is also used if it fails or times out. */
  readonly name: string;
  readonly run: (input: CheckInput) => Promise<readonly CheckResult[]> | readonly CheckResult[];
}
