import { randomInt } from "node:crypto";
import { switches, type SwitchName, type SwitchValue } from "../contract/behaviour.ts";
import { jsonText } from "../core/json-text.ts";
import type { ShownRecord } from "../contract/service.ts";
import { message, newPrefix, type ReadLab, type ScratchLab } from "./bench.ts";
import { allOf, errorBodyOf, errorStatusOf } from "./refusals.ts";
import { groupList, groupPath, idOf, pageOf, senderIdList, Unknown } from "./requests.ts";

/** The value of a switch, a text if none fits, or undefined if a later step can tell. */
export type Seen = SwitchValue | undefined | Promise<SwitchValue | undefined>;

/** The steps of a switch. After Unknown, it is unknown unless a later one finds it. */
export interface Experiment {
  /** Sends GET requests only. */
  readonly read?: (lab: ReadLab) => Seen;
  /** Creates and changes scratch groups. */
  readonly scratch?: (lab: ScratchLab) => Seen;
  /** Draws the conclusion from all responses, without a request. */
  readonly conclude?: (lab: ReadLab) => Seen;
}

/** The largest page size of the engine. */
const engineMax = switches.per_page_max.max;

export const experiments: { readonly [Name in SwitchName]: Experiment } = {
  create_status: { conclude: ({ statuses }) => allOf(statuses.created) },
  delete_status: { conclude: ({ statuses }) => allOf(statuses.deleted) },

  error_body: {
    read: async ({ get }) => void (await get(`${groupList}?perPage=0`, "field")),
    scratch: async ({ update, setAll }) =>
      void (await update({ ...(await setAll()), send_birthday: "sendctl" })),
    conclude: ({ refusals }) => errorBodyOf(refusals),
  },

  error_status: {
    read: async ({ get }) => void (await get(`/v1/${newPrefix()}`, "unknown_path")),
    conclude: ({ refusals }) => errorStatusOf(refusals),
  },

  not_found_status: {
    read: async ({ get }) => {
      // No group is likely to have this id, which fits into 31 bits.
      await get(groupPath(String(randomInt(2_100_000_000, 2 ** 31))), "not_found");
      await get(`${senderIdList}/${newPrefix()}`, "not_found");
    },
    conclude: ({ refusals, known }) => {
      if (known("error_status") === "always_200") {
        throw new Unknown("not observable: every refusal has HTTP 200");
      }
      const absences = refusals.filter(({ cause }) => cause === "not_found");
      return allOf(absences.map(({ status }) => status));
    },
  },

  group_update_requires: {
    scratch: async ({ update, setAll, first: { name } }) => {
      await setAll();
      const birthday_message = `${message}.`;
      if (await update({ birthday_message })) return "nothing";
      return (await update({ name, birthday_message })) ? "name" : "every_field";
    },
  },

  group_name_unique: {
    scratch: async ({ create, first: { name, id } }) => {
      const created = await create({ name });
      return created?.id === id ? "the existing group is returned" : created === undefined;
    },
  },

  update_fields_in_create: {
    scratch: async ({ create, first: { record } }) => {
      const usual = record["send_holiday"];
      const send_holiday = usual !== true;
      const created = await create({ send_holiday });
      if (created === undefined) return "refused";
      return effectOn("send_holiday", created.record, { stored: send_holiday, ignored: usual });
    },
  },

  unknown_fields: {
    scratch: async ({ create, update, setAll }) => {
      const unknown = { sendctl_probe: "unknown" };
      const shown = [await create(unknown), await update({ ...(await setAll()), ...unknown })];
      return allOf(shown.map((record) => (record === undefined ? "refused" : "ignored")));
    },
  },

  omitted_in_update: {
    scratch: async ({ known, update, setAll, first: { name } }) => {
      const requires = known("group_update_requires");
      if (requires === "every_field") {
        throw new Unknown("not observable: an update needs every field");
      }
      const birthday_message = `${message}.`;
      const changed = new Set<string>();
      // With both values of the flags, because one of them may be that of a new group.
      for (const flag of [true, false]) {
        await setAll(flag);
        const after = await update({ birthday_message, ...(requires === "name" && { name }) });
        if (after?.["birthday_message"] !== birthday_message) {
          throw new Unknown("ambiguous: the response does not show the new birthday message");
        }
        const { send_birthday, send_holiday } = after;
        if (send_birthday !== flag || send_holiday !== flag) {
          changed.add(`${String(send_birthday)} and ${String(send_holiday)}`);
        }
      }
      if (changed.size > 1) return `flags become ${[...changed].join(", or ")}`;
      return changed.size === 0 ? "kept" : "reset";
    },
  },

  null_in_update: {
    scratch: async ({ update, setAll }) => {
      const effects: string[] = [];
      for (const field of ["birthday_message", "send_holiday"]) {
        const whole = await setAll();
        const after = await update({ ...whole, [field]: null });
        const meanings = { cleared: null, ignored: whole[field] };
        effects.push(after === undefined ? "refused" : effectOn(field, after, meanings));
      }
      return allOf(effects);
    },
  },

  sender_id_means: {
    scratch: async ({ get, update, setAll, first }) => {
      const whole = await setAll();
      const accepts = async (text: string): Promise<boolean> =>
        (await update({ ...whole, sender_id: text })) !== undefined;
      if (await accepts(first.name)) return "any_text";
      const listed = await get(senderIdList);
      const records = listed === undefined ? [] : pageOf(listed).records;
      const existing = records.find(
        ({ id, name }) => typeof name === "string" && /\D/.test(name) && idOf({ id }) !== undefined,
      );
      if (existing === undefined) {
        throw new Unknown("not observable: no suitable sender ID is listed");
      }
      const byName = await accepts(String(existing["name"]));
      return acceptedOf({ name: byName, id: await accepts(idOf(existing)!) });
    },
  },

  per_page_default: {
    read: ({ groups: { data, per_page } }) => (data.length > per_page ? undefined : per_page),
  },

  per_page_max: {
    // A service refuses a larger size, or applies the largest instead.
    read: async (lab) => {
      const { per_page: usual } = lab.groups;
      const atMax = await appliedSize(lab, engineMax);
      if (atMax === undefined) return largestSize(lab, usual);
      const over = await appliedSize(lab, engineMax + 1);
      if (atMax === engineMax && over === undefined) return engineMax;
      if (over !== atMax) {
        throw new Unknown(`ambiguous: page sizes of ${atMax} and ${over ?? "none"}`);
      }
      // A service that ignores perPage looks the same.
      const isApplied = atMax !== usual || (atMax > 1 && (await appliedSize(lab, 1)) === 1);
      if (!isApplied) throw new Unknown("ambiguous: perPage seems ignored");
      return atMax;
    },
  },

  page_parameter: {
    read: (lab) => effectOfPage(lab, lab.groups.data),
    scratch: async (lab) => {
      await lab.create({});
      const listed = await lab.get(`${groupList}?perPage=10`);
      return listed && effectOfPage(lab, pageOf(listed).records);
    },
  },

  group_lookup: {
    scratch: async ({ finds, first: { id, uuid } }) => {
      if (uuid === undefined) throw new Unknown("no response shows a uuid");
      const isById = await finds(id);
      const byUuid = await finds(uuid);
      // A copy of the database may have been behind.
      const byId = isById || (byUuid && (await finds(id)));
      return acceptedOf({ id: byId, uuid: byUuid });
    },
  },
};

/** Returns the meaning of a stored value, or a text with the value. */
function effectOn(field: string, shown: ShownRecord, meanings: ShownRecord): string {
  const stored = shown[field];
  const [meaning] = Object.entries(meanings).find(([, value]) => value === stored) ?? [];
  return meaning ?? `${field} becomes ${stored === undefined ? "nothing" : jsonText(stored)}`;
}

/** Returns the names that are accepted: `id`, `uuid` or `id_or_uuid`. @throws Unknown if none is */
function acceptedOf(tried: Readonly<Record<string, boolean>>): string {
  const accepted = Object.keys(tried).filter((name) => tried[name]);
  if (accepted.length > 0) return accepted.join("_or_");
  throw new Unknown(`ambiguous: neither ${Object.keys(tried).join(" nor ")} is accepted`);
}

/**
 * Requests a page size of the groups.
 *
 * @returns the size that the service applied; undefined if it refused
 * @throws Unknown if the response shows neither, or its records contradict it
 */
async function appliedSize({ get }: ReadLab, size: number): Promise<number | undefined> {
  const outcome = await get(`${groupList}?perPage=${size}`, "field");
  if (outcome === undefined) return undefined;
  const { records, perPage } = pageOf(outcome);
  if (perPage !== undefined && records.length <= perPage) return perPage;
  throw new Unknown(`ambiguous: perPage=${size} shows ${records.length} records`);
}

/** Returns the largest page size that is not refused. @param usual one that is accepted */
async function largestSize(lab: ReadLab, usual: number): Promise<number> {
  let [accepted, refused] = [usual, engineMax];
  while (refused - accepted > 1) {
    const size = Math.floor((accepted + refused) / 2);
    const applied = await appliedSize(lab, size);
    if (applied !== undefined && applied !== size) {
      throw new Unknown(`ambiguous: perPage=${size} is applied as ${applied}`);
    }
    if (applied === undefined) refused = size;
    else accepted = size;
  }
  return accepted;
}

/** Returns the value of page_parameter. @throws Unknown if there are not two groups */
async function effectOfPage({ get }: ReadLab, records: readonly ShownRecord[]): Promise<string> {
  const [first, second] = records.map(idOf);
  if (second === undefined || first === second) {
    throw new Unknown("not observable: fewer than two groups; --scratch-group creates them");
  }
  const onePerPage = `${groupList}?perPage=1`;
  const outcome = await get(`${onePerPage}&page=2`, "field");
  if (outcome === undefined) {
    if (await get(onePerPage)) return "refused";
    throw new Unknown("the service refuses perPage=1");
  }
  const { current, records: shown } = pageOf(outcome);
  const [only, ...further] = shown.map(idOf);
  if (current === 1 && only === first) return "ignored";
  if (current === 2 && only === second && further.length === 0) return "honoured";
  throw new Unknown("ambiguous: the second page does not show the second group");
}
