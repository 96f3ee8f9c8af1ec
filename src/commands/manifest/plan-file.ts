import type { Capabilities } from "../../command/capabilities.ts";
import { normalized, optionWords, targetOptions } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { readFileUpTo, utf8Text } from "../../core/files.ts";
import { openOwnFile } from "../../core/own-file.ts";
import { safeText, shellWord } from "../../core/text.ts";
import type { Plan } from "../../manifest/plan/plan.ts";
import { planFormats, type Desired } from "./desired-state.ts";
import {
  changedValues,
  isPlan,
  maxPlanBytes,
  parsePlan,
  planText,
  reviewedSteps,
  type ChangedValue,
  type ReviewedStep,
} from "./saved-plan.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { plannedText, shown } from "./step-text.ts";

/**
 * Prepares the file of `diff --save`, and returns the function that writes it.
 *
 * @throws SendctlError "usage" for an existing file that is not a plan, or one that cannot be written
 */
export function openPlanFile({ config, input, output }: Capabilities, given: string) {
  const { write } = openOwnFile(given, input.path, {
    option: "--save",
    author: "diff --save",
    maxBytes: maxPlanBytes,
    isOwn: isPlan,
  });
  return async ({ manifest, options }: Desired, plan: Plan): Promise<void> => {
    const steps = reviewedSteps(plan);
    const text = planText({ target: targetOf(config), manifest, options, steps });
    if (output.hasSecret(text)) {
      throw new SendctlError("usage", "the plan contains the secret key, so it was not saved", {
        hint: "remove the key from the manifest and from the records",
      });
    }
    write(text);
    const words = [...optionWords("--plan", given), ...targetOptions(config.settings, false)];
    const command = `sendctl apply ${words.map(shellWord).join(" ")}`;
    await output.say(safeText(`Saved the plan; to apply it: ${command}`));
  };
}

/** Reads the file of `apply --plan`. @throws SendctlError "usage" if it is damaged, or of another target or version */
export async function readPlanFile(
  { config, input, output }: Capabilities,
  given: string,
): Promise<Desired> {
  output.supports("a plan", planFormats);
  const bytes = await readFileUpTo(given, input.path(given), maxPlanBytes);
  const plan = parsePlan(utf8Text(bytes, maxPlanBytes, given, "save the plan again"), given);
  const target = targetOf(config);
  if (plan.target === target) return { ...plan, reviewed: plan.steps };
  throw new SendctlError("usage", `${given} is a plan for ${plan.target}, not for ${target}`, {
    hint: "choose that target with --profile, --base-url or --database",
  });
}

/** Returns what identifies the target in a plan: its base URL or database. */
function targetOf({ settings: { baseUrl, database } }: Capabilities["config"]): string {
  return baseUrl === undefined ? database : normalized(baseUrl);
}

/** Reports what differs from the steps that were reviewed, and returns the exit code; undefined if nothing does. */
export async function refuseChanges(
  { output }: Pick<Capabilities, "output">,
  reviewed: readonly ReviewedStep[],
  plan: Plan,
): Promise<ExitCode | undefined> {
  const changes = changedValues(reviewed, reviewedSteps(plan));
  if (changes.length === 0) return undefined;
  const message = "the records have changed since the plan was reviewed; nothing was applied";
  const hint = "review a new plan";
  const data = { applied: 0, changed: changes };
  await output.report({ message, data, error: { kind: "differences", hint } });
  const lines = changes.slice(0, maxLines).map(changeText);
  const more = changes.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  await output.printError([message, ...lines, `hint: ${hint}`].join("\n"));
  return exitCodes.differences;
}

/** Maximum number of changes that are printed; `--json` has all. */
const maxLines = 20;

function changeText({ title, field, reviewed, current }: ChangedValue): string {
  return field === "action"
    ? `${title}: ${plannedText(reviewed)} in the plan, ${plannedText(current)} now`
    : `${title}: ${field} was ${shown(reviewed)} in the plan, is ${shown(current)} now`;
}
