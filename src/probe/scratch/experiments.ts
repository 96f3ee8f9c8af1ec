import { switches } from "../../contract/behaviour.ts";
import { isObject } from "../../contract/service.ts";
import { Inconclusive, conclusive, type Experiment } from "../experiment.ts";
import { ambiguous, hidden, type Verdict } from "../findings.ts";
import { groupList, groupPath, idOf, listPageOf, type Fields } from "../outcome.ts";
import { findLargest, pageNumbers } from "../reads.ts";
import { message, wholeCreate, type ScratchBench } from "./bench.ts";
import { trialExperiments } from "./trials.ts";

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

/** The default of a field that only an update sets. */
const defaultHoliday: ScratchExperiment = {
  finds: ["default_send_holiday"],
  run: async ({ first }) => ({
    default_send_holiday: defaultIn(first.created, "send_holiday"),
  }),
};

/** @param textOf returns a text of a length */
function longestText(
  name: "group_name_max" | "birthday_message_max",
  field: "name" | "birthday_message",
  textOf: (length: number, bench: ScratchBench) => string,
): ScratchExperiment {
  return {
    finds: [name],
    run: async (bench) => {
      const { min, max, default: usual } = switches[name];
      const isAccepted = async (length: number): Promise<boolean> => {
        const text = textOf(length, bench);
        const stored = await bench.update({ ...bench.whole(), [field]: text });
        if (stored === undefined || stored[field] === text) return stored !== undefined;
        throw new Inconclusive("ambiguous: a long text is accepted, but stored differently");
      };
      const first = [usual, usual + 1, max + 1];
      const found = await findLargest(min - 1, max + 2, isAccepted, first);
      if (found < min) return { [name]: { value: `less than ${min}` } };
      return { [name]: { value: found > max ? `over ${max}` : found } };
    },
  };
}

/** What sender_id refers to, with an unknown text and with an existing sender ID. */
const senderIdMeans: ScratchExperiment = {
  finds: ["sender_id_means"],
  run: async ({ first, update, whole, senderIds }) => {
    const accepts = async (text: string): Promise<boolean> =>
      (await update({ ...whole(), sender_id: text }, "field")) !== undefined;
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

/** The fields that a create needs, and the values of those that it omits. */
const createNeeds: ScratchExperiment = {
  finds: ["group_create_requires", "default_send_birthday", "default_birthday_message"],
  run: async ({ create }) => {
    const nameOnly = await create((name) => ({ name }));
    const others = nameOnly ?? (await create((name) => ({ name, send_birthday: false })));
    const needed = others === undefined ? "every_field" : "name_and_send_birthday";
    return {
      group_create_requires: { value: nameOnly === undefined ? needed : "name" },
      default_send_birthday: defaultIn(nameOnly, "send_birthday"),
      default_birthday_message: defaultIn(others, "birthday_message"),
    };
  },
};

function defaultIn(created: Fields | undefined, field: string): Verdict {
  if (created === undefined) return hidden("a create needs the field");
  return created[field] === undefined
    ? { unknown: "no response shows it" }
    : { value: created[field] };
}

/** The fields that an update needs, and what it does to those that it omits. */
const updateNeeds: ScratchExperiment = {
  finds: ["group_update_requires", "omitted_in_update"],
  run: async ({ update, whole, findings }) => {
    const birthday_message = `${message}.`;
    const before = whole();
    const messageOnly = await update({ birthday_message });
    const after = messageOnly ?? (await update({ name: before["name"], birthday_message }));
    if (after === undefined) {
      return {
        group_update_requires: { value: "every_field" },
        omitted_in_update: hidden("an update needs every field"),
      };
    }
    const isShown = after["birthday_message"] === birthday_message;
    const unseen = ambiguous("the response does not show the new birthday message");
    const usual = {
      send_birthday: findings.valueOf("default_send_birthday"),
      send_holiday: findings.valueOf("default_send_holiday"),
    };
    return {
      group_update_requires: { value: messageOnly === undefined ? "name" : "nothing" },
      omitted_in_update: isShown ? omittedIn(after, before, usual) : unseen,
    };
  },
};

/** Compares the fields that an update omitted with those before it. @param usual the defaults, if they are known */
function omittedIn(after: Fields, before: Fields, usual: Fields): Verdict {
  const fields = Object.keys(usual).filter(
    (field) => usual[field] !== undefined && usual[field] !== before[field],
  );
  if (fields.length === 0) return ambiguous("the fields have their defaults");
  if (fields.every((field) => after[field] === before[field])) return { value: "kept" };
  const isReset = fields.every((field) => after[field] === usual[field]);
  return { value: isReset ? "reset" : `some of ${fields.join(", ")} changed` };
}

/** The experiments that need groups of their own, in the order in which they run. */
export const scratchExperiments: readonly ScratchExperiment[] = [
  groupLookup,
  defaultHoliday,
  createNeeds,
  updateNeeds,
  ...trialExperiments,
  longestText("group_name_max", "name", (length, { first }) =>
    `${first.name}-`.padEnd(length, "x"),
  ),
  longestText("birthday_message_max", "birthday_message", (length) => "x".repeat(length)),
  senderIdMeans,
  pagesOfScratch,
];
