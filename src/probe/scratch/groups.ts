import { isObject } from "../../contract/envelope.ts";
import { idOf } from "../list-page.ts";
import { whyUnclear, type Fields, type Outcome, type Refused } from "../outcome.ts";
import { runName, scratchName, scratchNameOf } from "../own-name.ts";
import type { Session } from "../session.ts";
import { findScratch, type Search } from "./find-scratch.ts";
import { groupList } from "../read/first-lists.ts";

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

export type Creation =
  /** `status` is undefined if the response was lost and a list shows the group. */
  | { readonly kind: "created"; readonly status: number | undefined; readonly group: ScratchGroup }
  | Refused
  | { readonly kind: "unclear"; readonly why: string };

/** The path at which the service shows a group, "none" if it refuses the id and the uuid, or why it is unknown. */
type Located = { readonly path: string } | "none" | { readonly why: string };

/** The groups of one run, changed and deleted only where the service shows the group that the create returned. */
export interface ScratchGroups {
  /** The beginning of all names. */
  readonly run: string;
  /** Creates a group. @param fields returns the body for a new name */
  readonly create: (fields: (name: string) => Fields) => Promise<Creation>;
  /** @param path where `find` found the group */
  readonly update: (path: string, body: Fields) => Promise<Outcome>;
  readonly remove: (group: ScratchGroup) => Promise<void>;
  /** Finds the path at which the service shows a group: its id or uuid may select another one. */
  readonly find: (group: ScratchGroup) => Promise<Located>;
  /** Statuses of deletes whose responses arrived. */
  readonly deleteStatuses: () => readonly number[];
  /** Deletes all groups, also those whose creates got no response. */
  readonly removeAll: () => Promise<readonly Leftover[]>;
}

/** Milliseconds before a group is looked up again, because lists may lag. */
const lookupPauses = [0, 1000, 3000];

const maxDeletes = 3;

/** @param search how to read the list of groups */
export function createScratchGroups(
  session: Session,
  hex: (digits: number) => string,
  search: () => Search,
): ScratchGroups {
  const run = runName(hex(12));
  const live = new Map<string, ScratchGroup>();
  const gone = new Set<string>();
  /** Groups whose delete was sent, and may have been carried out. */
  const deleted = new Set<string>();
  /** The names of creates whose outcome is unknown, by the numbers of these creates. */
  const pending = new Map<number, string>();
  const statuses: number[] = [];
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
    if (gone.has(id)) return group;
    live.set(id, group);
    const [resolved] = [...pending].find(([, expected]) => expected === name) ?? [];
    if (resolved !== undefined) pending.delete(resolved);
    return group;
  };

  /** Looks for groups of this run in the list. */
  const lookUp = async (using: Session): Promise<void> => {
    for (const record of await findScratch(using, search(), run)) adopt(record);
  };

  const createOnce = async (fields: (name: string) => Fields): Promise<Creation> => {
    const own = (number += 1);
    const body = fields(scratchName(run, own));
    // The name of another group, in the experiment with two equal names.
    const name = scratchNameOf(body) ?? scratchName(run, own);
    session.throwIfStopped();
    // Before it is sent: an interrupted create may have succeeded.
    pending.set(own, name);
    const outcome = await session.write("POST", groupList, body).catch((error: unknown) => {
      pending.delete(own);
      throw error;
    });
    if (outcome.kind === "refused") {
      pending.delete(own);
      return outcome;
    }
    if (outcome.kind === "missing" && !outcome.mayBeDone) {
      pending.delete(own);
      return { kind: "unclear", why: outcome.why };
    }
    if (outcome.kind === "success") {
      const group = adopt(outcome.data);
      if (group?.name === name) {
        pending.delete(own);
        return { kind: "created", status: outcome.status, group };
      }
    }
    const known = new Set(live.keys());
    await lookUp(session);
    const isNew = ({ id, name: found }: ScratchGroup): boolean => found === name && !known.has(id);
    const group = [...live.values()].find(isNew);
    if (group !== undefined) return { kind: "created", status: undefined, group };
    const why =
      outcome.kind === "success" ? "the response does not show the group" : whyUnclear(outcome);
    return { kind: "unclear", why };
  };

  const find = async (using: Session, { id, uuid, name }: ScratchGroup): Promise<Located> => {
    let why = "";
    let isRefused = false;
    for (const key of uuid === undefined ? [id] : [id, uuid]) {
      const path = `${groupList}/${encodeURIComponent(key)}`;
      const outcome = await using.get(path);
      if (outcome.kind === "success" && isObject(outcome.data)) {
        const shown = outcome.data;
        if (idOf(shown) === id && scratchNameOf(shown) === name) return { path };
      }
      if (outcome.kind === "success") why = `for ${key} the service shows another group`;
      else if (outcome.kind !== "refused" || [401, 403].includes(outcome.status)) {
        return { why: whyUnclear(outcome) };
      } else isRefused = true;
    }
    return isRefused ? "none" : { why };
  };

  const forget = ({ id }: ScratchGroup): undefined => {
    live.delete(id);
    gone.add(id);
    return undefined;
  };

  /** Deletes a group. @returns why it may still exist */
  const removeOnce = async (using: Session, group: ScratchGroup): Promise<string | undefined> => {
    let why = "the service does not find it";
    for (let deletes = 0; deletes <= maxDeletes; deletes += 1) {
      const found = await find(using, group);
      if (found === "none") return deleted.has(group.id) ? forget(group) : why;
      if ("why" in found) return found.why;
      if (deletes === maxDeletes) break;
      const outcome = await using.write("DELETE", found.path);
      if (outcome.kind === "success") {
        statuses.push(outcome.status);
        return forget(group);
      }
      why = whyUnclear(outcome);
      if (outcome.kind === "refused" || (outcome.kind === "missing" && !outcome.mayBeDone)) {
        return why;
      }
      deleted.add(group.id);
    }
    return why;
  };

  return {
    run,
    create: async (fields) => {
      const first = await createOnce(fields);
      return first.kind === "unclear" ? createOnce(fields) : first;
    },
    update: async (path, body) => {
      const update = () => session.write("PUT", path, body);
      const first = await update();
      return first.kind === "success" || first.kind === "refused" ? first : update();
    },
    remove: async (group) => void (await removeOnce(session, group)),
    find: (group) => find(session, group),
    deleteStatuses: () => statuses,
    removeAll: async () => {
      const { cleanup } = session;
      const failed = new Map<string, string>();
      const removeLive = async (): Promise<void> => {
        for (const group of live.values()) {
          const why = await removeOnce(cleanup, group);
          if (why !== undefined) failed.set(group.id, why);
        }
      };
      await removeLive();
      for (const pause of pending.size > 0 ? lookupPauses : []) {
        await cleanup.pause(pause);
        await lookUp(cleanup);
        await removeLive();
        if (pending.size === 0) break;
      }
      return [
        ...[...live.values()].map(({ name, id }) => ({ name, id, why: failed.get(id) ?? "" })),
        ...[...pending.values()].map((name) => ({
          name,
          id: null,
          why: "the response to its create was lost, and no list shows it",
        })),
      ];
    },
  };
}
