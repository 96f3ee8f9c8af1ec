import type { Session } from "../../command/session.ts";
import {
  valueText,
  type PartialBehaviour,
  contradictionsIn,
  isAllowed,
  switchNames,
} from "../../contract/behaviour.ts";
import { behaviourText } from "../../probe/behaviour-file.ts";
import { saveBehaviour } from "../../config/profiles.ts";
import { targetName } from "../../config/target.ts";
import { SendctlError } from "../../core/error.ts";
import { recordFormats } from "../../output/formats/formats.ts";
import { type ExitCode, exitCodes } from "../../output/exit-codes.ts";
import { counted, safeText, shellWord } from "../../core/text.ts";
import { type Finding, type ProbeResult, probe as probeTarget } from "../../probe/probe.ts";
import { type Leftover, scratchNameOf } from "../../probe/bench.ts";
import { defineCommand, flag, text, type Values } from "../../command/define-command.ts";
import { confirm, mustConfirm, refuseDryRun } from "../../command/arguments.ts";
import type { Style } from "../../output/terminal.ts";
import type { RecordView } from "../../output/views.ts";
import { deletion } from "../../command/records/delete.ts";
import { type Found, groupKind } from "../../command/records/find.ts";
import { actOn, operate } from "../../command/records/on-records.ts";
import { byIdOrUuid } from "../../command/probe-target.ts";
import type { Page, ShownRecord } from "../../contract/service.ts";
import { idOf } from "../../probe/requests.ts";
import { eachRecord } from "../../service/read-list.ts";

const options = {
  scratchGroup: flag(
    "--scratch-group",
    "also create groups named sendctl-probe-…, change them, and delete them",
  ),
  clean: flag("--clean", "delete groups left behind by an interrupted probe", {
    conflicts: ["scratchGroup", "save", "check"],
  }),
  save: flag("--save", "store the result in the current profile"),
  check: text("--check <file>", "compare the result with a behaviour file; - is standard input"),
  yes: flag("-y, --yes", "create or delete without confirmation"),
};

export const probe = defineCommand({
  path: "probe",
  changes: "service",
  changesIf: (_, { scratchGroup, clean }) => scratchGroup || clean,
  description:
    "Find out how a service behaves where its specification is silent, compared with the embedded engine. Sends at most 20 GET requests, repetitions apart, and changes nothing. With --output yaml the result is a behaviour file.",
  options,
  exitCodes: [
    [0, "the probe ran, whatever it found; with --check, no switch differs"],
    [3, "the service rejected the key"],
    [8, "the service cannot be reached"],
    [12, "with --check, a switch differs from the file"],
  ],
  examples: [
    "sendctl probe",
    "sendctl probe --scratch-group --yes",
    "sendctl probe -o yaml > service.yaml",
    "sendctl probe --check service.yaml",
    "sendctl probe --clean",
  ],
  async run(context, _, given) {
    refuseDryRun(context, "the requests of a probe depend on responses");
    if (context.config.settings.baseUrl === undefined) {
      throw new SendctlError("usage", "probe needs a service, not a database", {
        hint: "pass --base-url, or start one: sendctl serve --behaviour FILE",
      });
    }
    if (!given.clean) return runProbe(context, given);
    return cleanUp(context, given.yes);
  },
});

const findingView: RecordView = {
  key: "number",
  fields: {},
  columns: ["number", "switch", "topic", "verdict", "engine", "observed", "reason"],
};

function summary({ findings }: ProbeResult): string {
  const counts = Object.entries(verdicts).map(([verdict, { many }]) => {
    return `${findings.filter((finding) => finding.verdict === verdict).length} ${many}`;
  });
  return counts.join(", ");
}

/** The verdicts: how they are painted and counted. */
const verdicts = {
  same: { paint: "good", many: "same" },
  differs: { paint: "bad", many: "different" },
  unknown: { paint: "waiting", many: "unknown" },
} as const satisfies Record<Finding["verdict"], { readonly paint: keyof Style; many: string }>;

const nameWidth = Math.max(...switchNames.map((name) => name.length));

/** Returns a line per finding: the switch, and what the service does or why that is unknown. */
function findingsText(findings: readonly Finding[], style: Style): string[] {
  return findings.map(({ switch: name, verdict, engine, observed, reason }) => {
    const mark = style[verdicts[verdict].paint](verdict.padEnd(7));
    const detail = verdict === "differs" ? ` (engine: ${valueText(engine)})` : "";
    return `${mark}  ${name.padEnd(nameWidth)}  ${reason ?? valueText(observed)}${detail}\n`;
  });
}

type Difference = ReturnType<typeof differencesFrom>[number];

/** Returns the differences from a behaviour file, except for switches that either leaves open. */
function differencesFrom(expected: PartialBehaviour, findings: readonly Finding[]) {
  return findings.flatMap(({ switch: name, verdict, observed }) => {
    const value = expected[name];
    if (value === undefined || verdict === "unknown" || value === observed) return [];
    return [{ switch: name, expected: value, observed }];
  });
}

/** Says on stderr what differs from a behaviour file. */
async function reportDifferences(
  { output }: Session,
  file: string,
  differences: readonly Difference[],
): Promise<void> {
  for (const { switch: name, expected, observed } of differences) {
    const [was, is] = [valueText(expected), valueText(observed)];
    await output.printError(safeText(`${name} is ${is}; ${file} says ${was}`));
  }
  const { length } = differences;
  const which = length === 0 ? "No switch" : counted(length, "switch", "switches");
  await output.say(safeText(`${which} ${length > 1 ? "differ" : "differs"} from ${file}`));
}

/**
 * Probes the target and shows the findings.
 *
 * @throws SendctlError "usage" without `--yes` if it cannot prompt, "cancelled" if declined
 */
async function runProbe(
  context: Session,
  { scratchGroup: hasScratch, save, yes, check }: Values<typeof options>,
): Promise<ExitCode> {
  const { output, target, config } = context;
  const profile = save ? profileToSave(context) : undefined;
  const expected = check === undefined ? {} : await context.input.behaviour(check);
  const format = output.supports("a probe", recordFormats);
  if (hasScratch && mustConfirm(context, yes, "create and delete groups")) {
    const question = `Create groups named sendctl-probe-… in ${targetName(config.settings)}, change and delete them?`;
    await confirm(context, "create groups", question, "Nothing created", "service");
  }
  const first = await target.service["group.list"]({ query: {} });
  const result = await probeTarget(await target.probe(), {
    groups: first.envelope!.data as Page<ShownRecord>,
    hasScratch,
    announce: async (names) => {
      await output.say(safeText(`→ ${targetName(config.settings)}`));
      await output.say(`Creating groups named ${names}, and deleting them at the end`);
    },
    left: (leftovers) => reportLeftovers(context, leftovers),
  });
  const differences = differencesFrom(expected, result.findings);
  if (format === "yaml") await output.raw(behaviourText(result.behaviour));
  else {
    const { findings: rulings, leftovers } = result;
    const compared = check === undefined ? {} : { differences };
    await output.report({
      message: summary(result),
      data: { target: targetName(config.settings), rulings, leftovers, ...compared },
      text: ({ style }) => findingsText(rulings, style),
      records: { items: rulings, view: findingView },
    });
  }
  await output.say(summary(result));
  if (profile !== undefined) await saveResult(context, profile, result);
  if (check === undefined) return exitCodes.done;
  await reportDifferences(context, check, differences);
  return differences.length === 0 ? exitCodes.done : exitCodes.differences;
}

/** Reports groups that may still exist, with the command that deletes them. */
async function reportLeftovers(
  { output, ask }: Session,
  leftovers: readonly Leftover[],
): Promise<void> {
  for (const { name, id, why } of leftovers) {
    const [shown, problem] =
      id === null ? [name, "may exist"] : [`${name} (id ${id})`, "was not deleted"];
    await output.printError(safeText(`the group ${shown} ${problem}: ${why}`));
  }
  const [only] = leftovers.length === 1 ? leftovers : [];
  const words = only?.id == null ? ["probe", "--clean"] : ["group", "delete", only.id];
  if (leftovers.length > 0) await output.say(`hint: ${ask.line(words)}`);
}

/** Returns the profile that selects the target. @throws SendctlError "usage" if none does */
function profileToSave({ config }: Session): string {
  const { profile, baseUrl, sources } = config.settings;
  if (profile !== undefined && sources.baseUrl === "profile") return profile;
  const words = ["sendctl", "login", "--profile", "NAME", "--base-url", baseUrl!];
  throw new SendctlError(
    "usage",
    "--save stores the result in a profile, but no profile selects this target",
    { hint: words.map(shellWord).join(" ") },
  );
}

/** Stores what is known in a profile. Switches that are unknown now keep their values. */
async function saveResult(
  { config, output }: Session,
  profile: string,
  { findings, behaviour: found }: ProbeResult,
): Promise<void> {
  const stored = config.read().profiles.get(profile)?.behaviour ?? {};
  const kept = findings.flatMap(({ switch: name, verdict }) =>
    verdict === "unknown" && isAllowed(name, stored[name]) ? [[name, stored[name]] as const] : [],
  );
  const merged: PartialBehaviour = { ...Object.fromEntries(kept), ...found };
  const behaviour = contradictionsIn(merged).length === 0 ? merged : found;
  await config.change(saveBehaviour(profile, behaviour));
  const count = Object.keys(behaviour).length;
  await output.say(safeText(`Behaviour of profile ${profile} stored: ${count} switches`));
}

/**
 * Deletes the groups whose names have exactly the form of a probe's, after confirmation.
 *
 * @throws SendctlError "usage" without `--yes` if it cannot prompt, "cancelled" if declined
 */
export async function cleanUp(context: Session, isConfirmed: boolean): Promise<ExitCode> {
  const mustAsk = mustConfirm(context, isConfirmed, "delete");
  const groups: Found[] = [];
  await eachRecord(context.ask.list("group.list"), (record) => {
    const [id, name] = [idOf(record), scratchNameOf(record)];
    if (id === undefined || name === undefined) return;
    groups.push({ word: `${id} (${name})`, key: id, expected: record });
  });
  (await context.target.journal()).stop();
  const act = deletion(context, groupKind, mustAsk, operateByAnyKey);
  return actOn(context, groupKind, groups, act, false);
}

/** Fetches or deletes a group by its id or uuid. */
const operateByAnyKey: typeof operate = (service, kind, verb, record) =>
  byIdOrUuid(record.expected!, (key) => operate(service, kind, verb, { ...record, key }));
