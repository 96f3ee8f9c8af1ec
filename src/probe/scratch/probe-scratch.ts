import { isObject } from "../../contract/envelope.ts";
import { switches, type SwitchName } from "../../contract/behaviour.ts";
import type { Experiment } from "../experiment.ts";
import { listPageOf } from "../list-page.ts";
import { whyUnclear, type Fields } from "../outcome.ts";
import { groupList, type FirstLists } from "../read/first-lists.ts";
import { pagedList, probePageNumbers } from "../read/page-number.ts";
import { wholeCreate, type ScratchExperiment, type Subject } from "./context.ts";
import { probeCreates, wholeUpdate } from "./creates.ts";
import { createScratchGroups, type Leftover, type ScratchGroup } from "./groups.ts";
import { probeLookup, probeSenderId } from "./references.ts";
import { probeTexts } from "./texts.ts";
import { probeNull, probePartialUpdates, probeTypes, probeUnknownField } from "./updates.ts";

interface ScratchOptions {
  readonly announce: (names: string) => Promise<void>;
  readonly left: (leftovers: readonly Leftover[]) => Promise<void>;
}

/** Page size for looking up groups, if the service accepts it. */
const lookupSize = 100;

/** Runs the experiments that need groups. Every group is deleted, whatever happens. @returns those that remain */
export async function probeWithScratchGroups(
  experiment: Experiment,
  lists: FirstLists,
  { announce, left }: ScratchOptions,
): Promise<readonly Leftover[]> {
  const { session, findings, target } = experiment;
  const search = () => {
    const max = findings.valueOf("per_page_max");
    return { perPage: typeof max === "number" ? Math.min(max, lookupSize) : undefined };
  };
  const groups = createScratchGroups(session, target.hex, search);
  await announce(`${groups.run}-…`);
  let leftovers: readonly Leftover[] = [];
  try {
    await runExperiments({ ...experiment, groups, lists });
  } finally {
    leftovers = await groups.removeAll();
    if (leftovers.length > 0) await left(leftovers);
  }
  judgeDeletes(experiment, groups.deleteStatuses());
  return leftovers;
}

async function runExperiments(experiment: ScratchExperiment): Promise<void> {
  const { session, groups, findings } = experiment;
  const created = await groups.create(wholeCreate);
  if (created.kind !== "created") {
    const why =
      created.kind === "refused" && (created.status === 401 || created.status === 403)
        ? `not permitted (HTTP ${created.status})`
        : `no scratch group could be created: ${whyNotCreated(created)}`;
    return leaveUnknown(experiment, why);
  }
  const { group } = created;
  const statuses = created.status === undefined ? [] : [created.status];
  await probeLookup(experiment, group);
  await probeCreates(experiment, { group, statuses });
  judgeCreates(experiment, statuses);
  const found = await groups.find(group);
  const path = typeof found === "object" && "path" in found ? found.path : undefined;
  if (path === undefined) {
    const why = typeof found === "object" && "why" in found ? found.why : "the group is not found";
    for (const name of updateSwitches) findings.unknown(name, why);
  } else await probeUpdates(experiment, group, path);
  await probePagesOfScratch(experiment);
  await groups.remove(group);
  const gone = await session.get(path ?? `${groupList}/${encodeURIComponent(group.id)}`);
  const status = gone.kind === "missing" ? undefined : gone.status;
  findings.other({
    number: 3,
    topic: "HTTP status for a deleted group",
    engine: 404,
    verdict: gone.kind !== "refused" ? "unknown" : status === 404 ? "same" : "differs",
    observed: gone.kind === "refused" ? (status ?? null) : null,
    how: gone.kind === "refused" ? "a scratch group after its delete" : whyUnclear(gone),
  });
}

function whyNotCreated(
  created: Exclude<Awaited<ReturnType<ScratchExperiment["groups"]["create"]>>, { kind: "created" }>,
): string {
  return created.kind === "refused" ? whyUnclear(created) : created.why;
}

function leaveUnknown({ findings }: Experiment, why: string): void {
  const names = Object.keys(switches) as SwitchName[];
  for (const name of names) {
    if (switches[name].observed === "scratch") findings.unknown(name, why);
  }
}

async function probeUpdates(
  experiment: ScratchExperiment,
  group: ScratchGroup,
  path: string,
): Promise<void> {
  const { findings, groups } = experiment;
  const whole = wholeUpdate(
    group.name,
    findings.valueOf("default_send_birthday"),
    findings.valueOf("default_send_holiday"),
  );
  const first = await groups.update(path, whole);
  const fields: Fields = first.kind === "success" && isObject(first.data) ? first.data : {};
  const lacks = Object.entries(whole).find(([field, value]) => fields[field] !== value);
  if (lacks !== undefined) {
    const why =
      first.kind === "success"
        ? `ambiguous: after an update, the response does not show its ${lacks[0]}`
        : `an update of every field: ${whyUnclear(first)}`;
    for (const name of updateSwitches) findings.unknown(name, why);
    return;
  }
  const subject: Subject = { group, path, fields, whole };
  await probePartialUpdates(experiment, subject);
  await probeNull(experiment, subject);
  await probeUnknownField(experiment, subject);
  await probeTypes(experiment, subject);
  await probeTexts(experiment, subject);
  await probeSenderId(experiment, subject);
}

const updateSwitches = [
  "group_update_requires",
  "omitted_in_update",
  "null_in_update",
  "unknown_fields",
  "types",
  "group_name_max",
  "group_name_spaces",
  "birthday_message_max",
  "birthday_message_empty",
  "birthday_message_spaces",
  "sender_id_means",
] as const satisfies readonly SwitchName[];

/** Repeats the experiments with page numbers if the service had too few records for them. */
async function probePagesOfScratch(experiment: ScratchExperiment): Promise<void> {
  const { session, findings, groups } = experiment;
  if (!findings.isOpen("page_parameter")) return;
  const another = await groups.create(wholeCreate);
  const first = listPageOf(await session.get(`${groupList}?perPage=10`));
  const list = first === undefined ? undefined : pagedList([{ path: groupList, first }]);
  if (list !== undefined) await probePageNumbers(experiment, list);
  if (another.kind === "created") await groups.remove(another.group);
}

function judgeCreates({ findings }: Experiment, statuses: readonly number[]): void {
  judgeStatuses("create_status", statuses, { findings });
}

function judgeDeletes({ findings }: Experiment, statuses: readonly number[]): void {
  if (findings.isOpen("delete_status")) judgeStatuses("delete_status", statuses, { findings });
}

function judgeStatuses(
  name: "create_status" | "delete_status",
  statuses: readonly number[],
  { findings }: Pick<Experiment, "findings">,
): void {
  const seen = new Set(statuses);
  const [status] = seen;
  if (status === undefined) findings.unknown(name, "no response to one arrived");
  else if (seen.size > 1)
    findings.odd(name, [...seen].join(" or "), `${statuses.length} responses`);
  else findings.found(name, status, `${statuses.length} responses`);
}
