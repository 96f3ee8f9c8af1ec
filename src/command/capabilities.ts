import type { CheckResult } from "../doctor/check.ts";
import type { Service } from "../contract/service.ts";
import type { Output } from "../output/output.ts";
import type { Ask, Clock, Input, Processes } from "./process.ts";
import type { Local } from "./local.ts";
import type { ConfigAccess, State } from "./config.ts";
import type { Target } from "./target.ts";

/**
 * What the `run` of a command may use. Each command takes only the capabilities that it needs; expensive ones are
 * created on first use.
 */
export interface Capabilities {
  /** The chosen service: remote, or the engine in this process. Its first operation opens it. */
  readonly service: Service;
  readonly target: Target;
  /** Throws SendctlError "usage" with the option `--base-url` or `--dry-run`. */
  readonly local: Local;
  readonly output: Output;
  readonly ask: Ask;
  readonly config: ConfigAccess;
  readonly state: State;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly input: Input;
  readonly doctor: {
    /** Checks this installation and its target without changing anything. */
    readonly diagnose: () => Promise<readonly CheckResult[]>;
  };
}
