import type { Settings } from "../config/settings.ts";
import type { SendctlError } from "../contract/error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { CheckResult } from "./check.ts";

/** What the checks look at. */
export interface CheckInput {
  readonly settings: Settings;
  /** What is wrong with the settings themselves, which are the defaults there. */
  readonly settingsErrors: readonly SendctlError[];
  /** Why the key command gave no key. */
  readonly keyFailure?: SendctlError | undefined;
  readonly runtime: Pick<Runtime, "env" | "home" | "folder" | "now" | "elapsed">;
  /** How long each check may take, in milliseconds. */
  readonly timeout: number;
  /** Stops whatever is under way. */
  readonly signal: AbortSignal;
  /** Takes out of a text what must never be shown. */
  readonly hide: (text: string) => string;
}

/** Looks at one thing, changes nothing, and has a word for whatever it finds. */
export interface Check {
  /** Of its finding, or of the first of them. */
  readonly name: string;
  readonly look: (input: CheckInput) => Promise<readonly CheckResult[]> | readonly CheckResult[];
}
