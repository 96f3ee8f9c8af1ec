import type { Capabilities } from "../../command/capabilities.ts";
import { checkedBehaviour } from "../../contract/check-behaviour.ts";
import { behaviourText } from "../../probe/behaviour-text.ts";
import { saveBehaviour } from "../../config/profiles.ts";
import { targetName, targetOptions } from "../../config/target.ts";
import {
  contradictionsIn,
  type PartialBehaviour,
  type SwitchName,
} from "../../contract/behaviour.ts";
import { SendctlError } from "../../core/error.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { safeText, shellWord } from "../../core/safe-text.ts";
import { probe, type ProbeResult } from "../../probe/probe.ts";
import type { Leftover } from "../../probe/scratch/groups.ts";
import { confirm } from "../../command/arguments.ts";
import { findingsText, findingView, shownFindings, summary } from "./findings-text.ts";

interface ProbeCommandOptions {
  readonly scratchGroup: boolean;
  readonly save: boolean;
  readonly yes: boolean;
}

/**
 * Probes the target and shows the findings.
 *
 * @throws SendctlError "usage" without `--yes` if prompting is not possible, "cancelled" if the user declines
 */
export async function runProbe(
  context: Capabilities,
  options: ProbeCommandOptions,
): Promise<ExitCode> {
  const { output, target, config } = context;
  const { scratchGroup: hasScratch, save, yes } = options;
  const profile = save ? profileToSave(context) : undefined;
  const shown = (result: ProbeResult): Promise<void> => report(context, result);
  const show = output.choose<(result: ProbeResult) => Promise<void>>("a probe", {
    table: shown,
    json: shown,
    jsonl: shown,
    csv: shown,
    yaml: ({ behaviour }) => output.raw(behaviourText(behaviour)),
  });
  // In a remote service, nothing is created without a question.
  if (hasScratch && !yes && config.settings.baseUrl !== undefined) {
    const question = `Create groups named sendctl-probe-… in ${targetName(config.settings)}, change and delete them?`;
    await confirm(context, "create groups", question, "Nothing created");
  }
  const result = await probe(await target.probe(), {
    hasScratch,
    announce: async (names) => {
      await output.say(safeText(`→ ${targetName(config.settings)}`));
      await output.say(`Creating groups named ${names}, and deleting them at the end`);
    },
    left: (leftovers) => reportLeftovers(context, leftovers),
  });
  await show(result);
  await output.say(summary(result));
  if (profile !== undefined) await saveResult(context, profile, result);
  return exitCodes.done;
}

async function report({ output, config }: Capabilities, result: ProbeResult): Promise<void> {
  const { findings, requests, leftovers } = result;
  const rulings = shownFindings(findings);
  await output.report({
    message: summary(result),
    data: { target: targetName(config.settings), requests, rulings, leftovers },
    text: (surface) => findingsText(rulings, surface),
    records: { items: rulings, view: findingView },
  });
}

/** Reports groups that may still exist, with the commands that delete them. */
async function reportLeftovers(
  { output, config }: Capabilities,
  leftovers: readonly Leftover[],
): Promise<void> {
  const target = targetOptions(config.settings, false).map(shellWord).join(" ");
  const options = target === "" ? "" : ` ${target}`;
  for (const { name, id, why } of leftovers) {
    const command = id === null ? "probe --clean" : `group delete ${shellWord(id)}`;
    const what = id === null ? `the group ${name} may exist` : `the group ${name} was not deleted`;
    await output.complain(safeText(`${what}: ${why}`));
    await output.complain(safeText(`hint: sendctl ${command}${options}`));
  }
}

/** Returns the profile that selects the target. @throws SendctlError "usage" if none does */
function profileToSave({ config }: Capabilities): string {
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
async function saveResult(
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
