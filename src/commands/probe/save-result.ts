import type { Capabilities } from "../../cli/capabilities.ts";
import { checkedBehaviour } from "../../behaviour/check.ts";
import { saveBehaviour } from "../../config/profiles.ts";
import {
  contradictionsIn,
  type PartialBehaviour,
  type SwitchName,
} from "../../contract/behaviour.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import type { ProbeResult } from "../../probe/probe.ts";

/** Returns the profile that selects the target. @throws SendctlError "usage" if none does */
export function profileToSave({ config }: Capabilities): string {
  const { profile, baseUrl, sources } = config.settings;
  const source = baseUrl === undefined ? sources.database : sources.baseUrl;
  if (profile !== undefined && source === "profile") return profile;
  throw new SendctlError(
    "usage",
    "--save stores the result in a profile, and none selects this target",
    {
      hint: "sendctl login --profile NAME",
    },
  );
}

/** Stores what is known in a profile. Switches that are unknown now keep the values that the profile has. */
export async function saveResult(
  { config, output }: Capabilities,
  profile: string,
  result: ProbeResult,
): Promise<void> {
  const { profiles, file } = config.read();
  const stored = storedBehaviour(profiles.get(profile)?.behaviour, profile, file ?? "");
  const unknown = new Set<string | undefined>(
    result.findings.flatMap((one) => (one.verdict === "unknown" ? [one.switch] : [])),
  );
  const kept = Object.entries(stored).filter(([name]) => unknown.has(name as SwitchName));
  const merged: PartialBehaviour = { ...Object.fromEntries(kept), ...result.behaviour };
  const behaviour = contradictionsIn(merged).length === 0 ? merged : result.behaviour;
  await config.change(saveBehaviour(profile, behaviour));
  const count = Object.keys(behaviour).length;
  await output.say(safeText(`Behaviour of profile ${profile} stored: ${count} switches`));
}

/** Returns the behaviour that a profile has; an invalid one is replaced. */
function storedBehaviour(
  stored: Parameters<typeof checkedBehaviour>[0] | undefined,
  profile: string,
  file: string,
): PartialBehaviour {
  try {
    return stored === undefined ? {} : checkedBehaviour(stored, profile, file);
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "usage") return {};
    throw error;
  }
}
