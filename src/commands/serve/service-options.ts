import type { Capabilities } from "../../cli/capabilities.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { parseDuration } from "../../config/duration.ts";
import type { InjectedFault } from "../../contract/injected-fault.ts";
import { behaviourOfFile } from "./behaviour-file.ts";
import { invalidValue, wholeNumber } from "../arguments.ts";
import { readFault } from "./fault-option.ts";

/** The values of the behaviour options, as given. */
export interface ServiceOptions {
  /** Path of a behaviour file. */
  readonly behaviour?: string;
  readonly rateLimit?: string;
  readonly fault?: readonly string[];
  readonly autoApproveAfter?: string;
}

interface ServiceSettings {
  /** Switches of the behaviour file; undefined for the behaviour of the profile, or the engine's own. */
  readonly behaviour: PartialBehaviour | undefined;
  /** Requests per second for each key: ruling 24. */
  readonly rateLimit: number | undefined;
  readonly faults: readonly InjectedFault[];
  /** In milliseconds. */
  readonly autoApproveAfter: number | undefined;
}

/** Reads the behaviour options. @throws SendctlError "usage" for an invalid value or file */
export async function behaviourOf(
  options: ServiceOptions,
  context: Pick<Capabilities, "input">,
): Promise<ServiceSettings> {
  return {
    behaviour: await behaviourOfFile(options.behaviour, context),
    rateLimit: rateLimitOf(options),
    faults: (options.fault ?? []).map(readFault),
    autoApproveAfter: durationOf(options.autoApproveAfter, "--auto-approve-after"),
  };
}

function rateLimitOf({ rateLimit }: ServiceOptions): number | undefined {
  const number = wholeNumber(rateLimit, "--rate-limit");
  if (number === undefined || number >= 1) return number;
  throw invalidValue("number", rateLimit, "--rate-limit", "use 1 or more requests per second");
}

/** Returns the milliseconds of a duration, which may be 0. @throws SendctlError "usage" */
export function durationOf(text: string | undefined, setting: string): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = /^0(?:ms|s|m|h)$/.test(text) ? 0 : parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidValue("duration", text, setting, "write 0s, 500ms, 30s, 10m or 2h");
}
