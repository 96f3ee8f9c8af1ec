import { isObject } from "../../contract/service.ts";
import { Inconclusive } from "../experiment.ts";
import {
  explainInconclusive,
  groupList,
  groupPath,
  idOf,
  listPageOf,
  type Fields,
  type Outcome,
  type Refused,
} from "../outcome.ts";
import type { Requests, Session } from "../session.ts";

/** The form of the names of scratch groups. White space around it and padding belong to experiments. */
const form = /^\s*(sendctl-probe-[0-9a-f]{12}-\d{2,3})(?:-x+)?\s*$/i;

/**
 * Returns the name of the scratch group that a record is, without padding; undefined if it is none. A group without
 * a name has it in its birthday message, which the experiment with a missing name sets.
 */
export function scratchNameOf({ name, birthday_message: message }: Fields): string | undefined {
  const text = name === null || name === undefined || name === "" ? message : name;
  return typeof text === "string" ? form.exec(text)?.[1]?.toLowerCase() : undefined;
}

/** A group that the probe created. */
export interface ScratchGroup {
  /** Without padding. */
  readonly name: string;
  readonly id: string;
  readonly uuid: string | undefined;
  /** As the create returned it, or as a list showed it. */
  readonly created: Fields;
}

/** A group that could not be deleted, or a create whose outcome is unknown. */
export interface Leftover {
  readonly name: string;
  /** Null if the group was never seen. */
  readonly id: string | null;
  readonly why: string;
}

/** The path at which the service shows a group, "none" if it refuses the id and the uuid, or why it is unknown. */
type Located = { readonly path: string } | "none" | { readonly why: string };

/** The groups of one run, changed and deleted only where the service shows the group that the create returned. */
export interface ScratchGroups {
  /** Creates a group. @param fields returns the body for a new name @throws Inconclusive if the outcome is unknown */
  readonly create: (fields: (name: string) => Fields) => Promise<ScratchGroup | Refused>;
  readonly remove: (group: ScratchGroup) => Promise<void>;
  /** Finds the path at which the service shows a group: its id or uuid may select another one. */
  readonly find: (group: ScratchGroup) => Promise<Located>;
  /** Statuses of the responses to creates and deletes that succeeded. */
  readonly statuses: { readonly created: readonly number[]; readonly deleted: readonly number[] };
  /** Deletes all groups, also those whose creates got no response. */
  readonly removeAll: () => Promise<readonly Leftover[]>;
}

/** Milliseconds before a group is looked up again, because lists may lag. */
const lookupPauses = [0, 1000, 3000];

/** A lost response to a delete does not show whether the group still exists. */
const maxDeletes = 2;

/** The most pages that are read to find groups. */
const maxPages = 100;

/**
 * @param run the beginning of all names
 * @param perPage returns a page size that the service accepts, for looking up groups; undefined for its default
 */
export function createScratchGroups(
  session: Session,
  run: string,
  perPage: () => number | undefined,
): ScratchGroups {
  const live = new Map<string, ScratchGroup>();
  const removed = new Set<string>();
  /** Groups whose delete was sent, and may have been carried out. */
  const deleted = new Set<string>();
  /** The names of creates whose outcome is unknown. */
  let pending: readonly string[] = [];
  const statuses = { created: [] as number[], deleted: [] as number[] };
  let number = 0;

  /** Adds a group if its record has a name of this run. */
  const adopt = (record: unknown): ScratchGroup | undefined => {
    if (!isObject(record)) return undefined;
    const name = scratchNameOf(record);
    const id = idOf(record);
    if (name?.startsWith(`${run}-`) !== true || id === undefined) return undefined;
    const known = live.get(id);
    if (known !== undefined) return known;
    const { uuid } = record;
    const text = typeof uuid === "string" && uuid !== "" ? uuid : undefined;
    const group: ScratchGroup = { name, id, uuid: text, created: record };
    // A list may still show a group after its delete.
    if (removed.has(id)) return group;
    live.set(id, group);
    const resolved = pending.indexOf(name);
    pending = pending.filter((_, index) => index !== resolved);
    return group;
  };

  /** Looks for groups of this run in the list, until a page cannot be read. */
  const lookUp = async (requests: Requests): Promise<void> => {
    const size = perPage();
    const seen = new Set<string>();
    let total = 0;
    for (let page = 1; page <= maxPages; page += 1) {
      const query = [
        ...(size === undefined ? [] : [`perPage=${size}`]),
        ...(page === 1 ? [] : [`page=${page}`]),
      ];
      const path = query.length === 0 ? groupList : `${groupList}?${query.join("&")}`;
      const found = listPageOf(await requests.get(path));
      if (found === undefined) return;
      const before = seen.size;
      for (const record of found.records) {
        seen.add(idOf(record) ?? "");
        adopt(record);
      }
      total = Math.max(total, found.total ?? 0);
      const isWhole = seen.size >= total && (found.last ?? 1) <= page;
      // A service that ignores page numbers sends the same records again.
      if (isWhole || seen.size === before) return;
    }
  };

  /** Creates a group. @returns why the outcome is unknown, otherwise */
  const createOnce = async (
    fields: (name: string) => Fields,
  ): Promise<ScratchGroup | Refused | string> => {
    number += 1;
    const own = `${run}-${String(number).padStart(2, "0")}`;
    const body = fields(own);
    // The name of another group, in the experiment with two equal names.
    const name = scratchNameOf(body) ?? own;
    const outcome = await session.write("POST", groupList, body);
    if (outcome.kind === "refused") {
      // Another group has the name: a lost create of it was refused for the same reason.
      pending = pending.filter((lost) => lost !== name);
      return outcome;
    }
    if (outcome.kind === "missing" && !outcome.mayBeDone) return outcome.why;
    const known = new Set(live.keys());
    const shown = outcome.kind === "success" ? adopt(outcome.data) : undefined;
    if (outcome.kind === "success" && shown?.name === name) {
      statuses.created.push(outcome.status);
      return shown;
    }
    pending = [...pending, name];
    await lookUp(session);
    const isNew = ({ id, name: found }: ScratchGroup): boolean => found === name && !known.has(id);
    const group = [...live.values()].find(isNew);
    if (group !== undefined) return group;
    return outcome.kind === "success"
      ? "the response does not show the group"
      : explainInconclusive(outcome);
  };

  const find = async (requests: Requests, { id, uuid, name }: ScratchGroup): Promise<Located> => {
    let why = "";
    let isRefused = false;
    for (const key of uuid === undefined ? [id] : [id, uuid]) {
      const path = groupPath(key);
      const outcome = await requests.get(path);
      if (outcome.kind === "success" && isObject(outcome.data)) {
        const shown = outcome.data;
        if (idOf(shown) === id && scratchNameOf(shown) === name) return { path };
      }
      if (outcome.kind === "success") why = `for ${key} the service shows another group`;
      else if (outcome.kind !== "refused" || [401, 403].includes(outcome.status)) {
        return { why: explainInconclusive(outcome) };
      } else isRefused = true;
    }
    return isRefused ? "none" : { why };
  };

  const forget = ({ id }: ScratchGroup): undefined => {
    live.delete(id);
    removed.add(id);
    return undefined;
  };

  /** Deletes a group. @returns why it may still exist */
  const removeOnce = async (
    requests: Requests,
    group: ScratchGroup,
  ): Promise<string | undefined> => {
    let outcome: Outcome | undefined;
    for (let deletes = 0; ; deletes += 1) {
      const found = await find(requests, group);
      if (found === "none" && deleted.has(group.id)) return forget(group);
      if (found === "none") return "the service does not find it";
      if ("why" in found) return found.why;
      if (outcome?.kind === "refused" || deletes === maxDeletes)
        return explainInconclusive(outcome!);
      outcome = await requests.write("DELETE", found.path);
      if (outcome.kind === "success") {
        statuses.deleted.push(outcome.status);
        return forget(group);
      }
      if (outcome.kind === "missing" && !outcome.mayBeDone) return outcome.why;
      deleted.add(group.id);
    }
  };

  const removeLive = async (): Promise<readonly Leftover[]> => {
    const left: Leftover[] = [];
    for (const group of live.values()) {
      const why = await removeOnce(session.cleanup, group);
      if (why !== undefined) left.push({ name: group.name, id: group.id, why });
    }
    return left;
  };

  return {
    create: async (fields) => {
      const first = await createOnce(fields);
      const created = typeof first === "string" ? await createOnce(fields) : first;
      if (typeof created === "string") throw new Inconclusive(created);
      return created;
    },
    remove: async (group) => void (await removeOnce(session, group)),
    find: (group) => find(session, group),
    statuses,
    removeAll: async () => {
      let left = await removeLive();
      for (const pause of lookupPauses) {
        if (pending.length === 0) break;
        await session.cleanup.pause(pause);
        await lookUp(session.cleanup);
        left = await removeLive();
      }
      const why = "the response to its create was lost, and no list shows it";
      return [...left, ...pending.map((name) => ({ name, id: null, why }))];
    },
  };
}
