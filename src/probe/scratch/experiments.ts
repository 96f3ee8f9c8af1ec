import { switches } from "../../contract/behaviour.ts";
import { isObject } from "../../contract/envelope.ts";
import { clear, Unclear, type Experiment } from "../experiment.ts";
import { hidden } from "../findings.ts";
import { groupList, groupPath, idOf, listPageOf } from "../outcome.ts";
import { pageNumbers } from "../reads.ts";
import { findLargest, type Tried } from "../sizes.ts";
import { wholeCreate, type ScratchBench } from "./bench.ts";
import { createNeeds, namelessCreate, updateNeeds } from "./needs.ts";
import { trialExperiments } from "./trials.ts";

type ScratchExperiment = Experiment<ScratchBench>;

/** What identifies a group in a path. */
const groupLookup: ScratchExperiment = {
  finds: ["group_lookup"],
  how: "a scratch group by its id and by its uuid",
  run: async ({ session, first: { id, uuid }, isFirst }) => {
    if (uuid === undefined) throw new Unclear("no response shows a uuid");
    const finds = async (key: string): Promise<boolean> => {
      const outcome = clear(await session.get(groupPath(key)));
      if (outcome.kind === "refused") return false;
      if (isObject(outcome.data) && isFirst(outcome.data)) return true;
      throw new Unclear("the response shows another group");
    };
    const [byId, byUuid] = [await finds(id), await finds(uuid)];
    if (!byId && !byUuid) throw new Unclear("ambiguous: neither the id nor the uuid is found");
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
  how: "the response to a create",
  run: async ({ first: { created } }) => {
    if (created["send_holiday"] === undefined) throw new Unclear("no response shows it");
    return { default_send_holiday: { value: created["send_holiday"] } };
  },
};

function longestText(
  name: "group_name_max" | "birthday_message_max",
  field: "name" | "birthday_message",
  textOf: (length: number, bench: ScratchBench) => string,
): ScratchExperiment {
  return {
    finds: [name],
    how: "updates with texts of different lengths",
    run: async (bench) => {
      const label = `a ${field} that is too long`;
      const attempt = async (length: number): Promise<Tried> => {
        const text = textOf(length, bench);
        const stored = await bench.update({ ...bench.whole(), [field]: text }, label);
        if (stored === undefined) return "refused";
        return stored[field] === text ? "accepted" : { odd: "accepted, but stored differently" };
      };
      const texts = () => bench.evidence.textsOf(label);
      return { [name]: await findLargest({ ...switches[name], attempt, texts }) };
    },
  };
}

/** What sender_id refers to, with an unknown text and with an existing sender ID. */
const senderIdMeans: ScratchExperiment = {
  finds: ["sender_id_means"],
  how: "updates with the name and with the id of a listed sender ID",
  run: async ({ first, update, whole, senderIds }) => {
    const accepts = async (text: string): Promise<boolean> => {
      const body = { ...whole(), sender_id: text };
      return (await update(body, "an unknown sender_id", "other")) !== undefined;
    };
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
    if (!byName && !byId) throw new Unclear("ambiguous: neither a name nor an id is accepted");
    return { sender_id_means: { value: oneOf(["name", byName], ["id", byId]) } };
  },
};

/** Repeats the experiment with page numbers if the service had too few records for it. */
const pagesOfScratch: ScratchExperiment = {
  ...pageNumbers,
  run: async (bench) => {
    const { session, findings, scratch } = bench;
    if (!findings.isOpen("page_parameter")) return {};
    const another = await scratch.create(wholeCreate);
    const groups = listPageOf(await session.get(`${groupList}?perPage=10`));
    const verdicts = groups === undefined ? {} : await pageNumbers.run({ ...bench, groups });
    if (!("kind" in another)) await scratch.remove(another);
    return verdicts;
  },
};

/** The experiments that need groups of their own, in the order in which they run. */
export const scratchExperiments: readonly ScratchExperiment[] = [
  groupLookup,
  defaultHoliday,
  createNeeds,
  namelessCreate,
  updateNeeds,
  ...trialExperiments,
  longestText("group_name_max", "name", (length, { first }) =>
    `${first.name}-`.padEnd(length, "x"),
  ),
  longestText("birthday_message_max", "birthday_message", (length) => "x".repeat(length)),
  senderIdMeans,
  pagesOfScratch,
];
