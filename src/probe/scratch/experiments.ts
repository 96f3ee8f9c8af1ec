import { isObject } from "../../contract/service.ts";
import { Inconclusive, conclusive, type Experiment } from "../experiment.ts";
import { ambiguous, hidden, type Verdict } from "../findings.ts";
import { groupList, groupPath, idOf, listPageOf, type Fields } from "../outcome.ts";
import { pageNumbers } from "../reads.ts";
import { message, wholeCreate, type ScratchBench, trialExperiments } from "./trials.ts";

type ScratchExperiment = Experiment<ScratchBench>;

/** What identifies a group in a path. */
const groupLookup: ScratchExperiment = {
  finds: ["group_lookup"],
  run: async ({ session, first: { id, uuid }, isFirst }) => {
    if (uuid === undefined) throw new Inconclusive("no response shows a uuid");
    const finds = async (key: string): Promise<boolean> => {
      const outcome = conclusive(await session.get(groupPath(key)));
      if (outcome.kind === "refused") return false;
      if (isObject(outcome.data) && isFirst(outcome.data)) return true;
      throw new Inconclusive("the response shows another group");
    };
    const [byId, byUuid] = [await finds(id), await finds(uuid)];
    if (!byId && !byUuid) throw new Inconclusive("ambiguous: neither the id nor the uuid is found");
    return { group_lookup: { value: oneOf(["id", byId], ["uuid", byUuid]) } };
  },
};

/** Returns the value of a switch that is one of two names, or both: `id`, `uuid` or `id_or_uuid`. */
function oneOf(...names: readonly (readonly [name: string, isAccepted: boolean])[]): string {
  return names.flatMap(([name, isAccepted]) => (isAccepted ? [name] : [])).join("_or_");
}

/** What sender_id refers to, with an unknown text and with an existing sender ID. */
const senderIdMeans: ScratchExperiment = {
  finds: ["sender_id_means"],
  run: async ({ first, update, whole, senderIds }) => {
    const accepts = async (text: string): Promise<boolean> =>
      (await update({ ...whole(), sender_id: text })) !== undefined;
    if (await accepts(first.name)) return { sender_id_means: { value: "any_text" } };
    const existing = senderIds.find(
      ({ id, name }) =>
        typeof name === "string" && !/^\d+$/.test(name) && idOf({ id }) !== undefined,
    );
    if (existing === undefined) {
      return { sender_id_means: hidden("no suitable sender ID is listed") };
    }
    const byName = await accepts(String(existing["name"]));
    const byId = await accepts(idOf(existing)!);
    if (!byName && !byId) throw new Inconclusive("ambiguous: neither a name nor an id is accepted");
    return { sender_id_means: { value: oneOf(["name", byName], ["id", byId]) } };
  },
};

/** Repeats the experiment with page numbers if it found out nothing, because the service had too few records. */
const pagesOfScratch: ScratchExperiment = {
  ...pageNumbers,
  run: async (bench) => {
    const { session, findings, scratch } = bench;
    if (findings.valueOf("page_parameter") !== undefined) return {};
    const another = await scratch.create(wholeCreate);
    const groups = listPageOf(await session.get(`${groupList}?perPage=10`));
    const verdicts = groups === undefined ? {} : await pageNumbers.run({ ...bench, groups });
    if (!("kind" in another)) await scratch.remove(another);
    return verdicts;
  },
};

/** An update that most services refuse, which shows how they do. */
const invalidField: ScratchExperiment = {
  finds: [],
  run: async ({ update, whole }) => {
    await update({ ...whole(), send_birthday: "sendctl" });
    return {};
  },
};

/**
 * The fields that an update needs, and what it does to those that it omits: with both values of the flags, because one of
 * them may be that of a new group.
 */
const updateNeeds: ScratchExperiment = {
  finds: ["group_update_requires", "omitted_in_update"],
  run: async ({ update, whole }) => {
    const birthday_message = `${message}.`;
    const messageOnly = await update({ birthday_message });
    const body = messageOnly ? {} : { name: whole()["name"] };
    const fates: string[] = [];
    for (const flag of [true, false]) {
      const before = { ...whole(), send_birthday: flag, send_holiday: flag };
      if ((await update(before)) === undefined) throw new Inconclusive("the flags cannot be set");
      const after = await update({ ...body, birthday_message });
      if (after === undefined) {
        return {
          group_update_requires: { value: "every_field" },
          omitted_in_update: hidden("an update needs every field"),
        };
      }
      fates.push(fateOf(before, after, birthday_message));
    }
    return {
      group_update_requires: { value: messageOnly === undefined ? "name" : "nothing" },
      omitted_in_update: omittedIn(fates),
    };
  },
};

/** Returns what became of the flags that an update omitted: "kept", or their values; "unseen" without the new message. */
function fateOf(before: Fields, after: Fields, birthday_message: string): string {
  if (after["birthday_message"] !== birthday_message) return "unseen";
  const flags = ["send_birthday", "send_holiday"];
  if (flags.every((flag) => after[flag] === before[flag])) return "kept";
  return flags.map((flag) => `${flag} ${String(after[flag])}`).join(", ");
}

function omittedIn(fates: readonly string[]): Verdict {
  if (fates.includes("unseen")) {
    return ambiguous("the response does not show the new birthday message");
  }
  const changed = new Set(fates.filter((fate) => fate !== "kept"));
  if (changed.size === 0) return { value: "kept" };
  return changed.size === 1 ? { value: "reset" } : { value: [...changed].join(" or ") };
}

/** The experiments that need groups of their own, in the order in which they run. */
export const scratchExperiments: readonly ScratchExperiment[] = [
  groupLookup,
  invalidField,
  updateNeeds,
  ...trialExperiments,
  senderIdMeans,
  pagesOfScratch,
];
