import { comparisonKey } from "../../core/names.ts";
import { isObject } from "../../contract/service.ts";
import { Inconclusive } from "../experiment.ts";
import {
  explainInconclusive,
  groupList,
  groupPath,
  idOf,
  listPageOf,
  type Fields,
  type Refused,
} from "../outcome.ts";
import type { Requests, Session } from "../session.ts";

/** The form of the names of scratch groups. White space around it and padding belong to experiments. */
const form = /^\s*(sendctl-probe-[0-9a-f]{12}-\d{2,3})(?:-x+)?\s*$/i;

/** Returns the name of the scratch group that a record is, without padding; undefined if it is none. */
export function scratchNameOf({ name }: Fields): string | undefined {
  return typeof name === "string" ? form.exec(name)?.[1]?.toLowerCase() : undefined;
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

/** The path at which the service shows a group; or why there is none, and whether it refused the id and the uuid. */
export type Located =
  | { readonly path: string }
  | { readonly why: string; readonly isRefused?: boolean };

/** The groups of one run, changed and deleted only where the service shows the group that the create returned. */
export type ScratchGroups = ReturnType<typeof createScratchGroups>;

/** Milliseconds before a group is looked up again, because lists may lag. */
const lookupPauses = [0, 1000, 3000];

/** A lost response to a create does not show the group, and one to a delete not whether the group still exists. */
const maxCreates = 3;
const maxDeletes = 2;

/** The most pages that are read to find groups. */
const maxPages = 100;

/**
 * Creates the scratch groups of a run.
 *
 * @param name the beginning of all names
 * @param remember called with the groups that exist, by their ids, whenever they change
 */
export function createScratchGroups(
  session: Session,
  name: string,
  remember: (groups: ReadonlyMap<string, string>) => void = () => {},
) {
  const run = createRun(session, name, remember);
  return {
    /** Creates a group. @param fields returns the body for a new name @throws Inconclusive if the outcome is unknown */
    create: (fields: (name: string) => Fields): Promise<ScratchGroup | Refused> =>
      create(run, fields),
    remove: async (group: ScratchGroup): Promise<void> =>
      void (await removeOnce(run, session, group)),
    /** Finds the path at which the service shows a group: its id or uuid may select another one. */
    find: (group: ScratchGroup): Promise<Located> => find(session, group),
    /** Statuses of the responses to creates and deletes that succeeded. */
    statuses: run.statuses,
    /** Deletes all groups, also those whose creates got no response. */
    removeAll: async (): Promise<readonly Leftover[]> => {
      let left = await removeLive(run);
      for (const pause of lookupPauses) {
        if (run.pending.length === 0) break;
        await session.cleanup.pause(pause);
        await lookUp(run);
        left = await removeLive(run);
      }
      const why = "the response to its create was lost, and no list shows it";
      return [...left, ...run.pending.map((name) => ({ name, id: null, why }))];
    },
  };
}

/** The groups of a run. */
type Run = ReturnType<typeof createRun>;

function createRun(
  session: Session,
  name: string,
  remember: (groups: ReadonlyMap<string, string>) => void,
) {
  return {
    session,
    name,
    remember,
    live: new Map<string, ScratchGroup>(),
    /** Ids of groups whose delete was sent, and may have been carried out. */
    deleted: new Set<string>(),
    /** The names of creates whose outcome is unknown. */
    pending: [] as readonly string[],
    statuses: { created: [] as number[], deleted: [] as number[] },
    /** The number of the last name. */
    number: 0,
  };
}

async function create(run: Run, fields: (name: string) => Fields): Promise<ScratchGroup | Refused> {
  let why = "";
  for (let creates = 0; creates < maxCreates; creates += 1) {
    run.number += 1;
    const own = `${run.name}-${String(run.number).padStart(2, "0")}`;
    const body = fields(own);
    // The name of another group, in the experiment with two equal names.
    const name = scratchNameOf(body) ?? own;
    const outcome = await run.session.write("POST", groupList, body);
    if (outcome.kind === "refused") {
      // Another group has the name: a lost create of it was refused for the same reason.
      run.pending = run.pending.filter((lost) => lost !== name);
      return outcome;
    }
    const shown = outcome.kind === "success" ? adoptCreated(run, outcome.data, name) : undefined;
    if (outcome.kind === "success" && shown?.name === name) {
      run.statuses.created.push(outcome.status);
      return shown;
    }
    const isUnshown = outcome.kind === "success";
    why = isUnshown ? "the response does not show the group" : explainInconclusive(outcome);
    if (outcome.kind !== "missing" || outcome.mayBeDone) run.pending = [...run.pending, name];
  }
  throw new Inconclusive(why);
}

function note({ live, remember }: Run): void {
  remember(new Map([...live].map(([id, { created }]) => [id, String(created["name"])])));
}

function add(run: Run, id: string, name: string, record: Fields): ScratchGroup {
  const { uuid } = record;
  const text = typeof uuid === "string" && uuid !== "" ? uuid : undefined;
  const group: ScratchGroup = { name, id, uuid: text, created: record };
  run.live.set(id, group);
  note(run);
  return group;
}

function letters(text: unknown): string {
  return typeof text === "string" ? comparisonKey(text).replaceAll(/[^\p{L}\p{N}]/gu, "") : "";
}

/** Adds a group that a create returned, perhaps under a name that the service has cut off or rewritten. */
function adoptCreated(run: Run, record: unknown, name: string): ScratchGroup | undefined {
  const known = adopt(run, record);
  if (known !== undefined || !isObject(record)) return known;
  const id = idOf(record);
  // Dashes may be removed from it, too.
  const stored = letters(record["name"]);
  const isOwn = stored !== "" && letters(name).startsWith(stored);
  return id !== undefined && isOwn && !run.deleted.has(id) ? add(run, id, name, record) : undefined;
}

/** Adds a group if its record has a name of this run, unless it was deleted: a list may still show it. */
function adopt(run: Run, record: unknown): ScratchGroup | undefined {
  if (!isObject(record)) return undefined;
  const name = scratchNameOf(record);
  const id = idOf(record);
  if (name?.startsWith(`${run.name}-`) !== true || id === undefined) return undefined;
  const known = run.live.get(id);
  if (known !== undefined || run.deleted.has(id)) return known;
  return add(run, id, name, record);
}

/** Looks for the groups of lost creates in the list. */
async function lookUp(run: Run): Promise<void> {
  const seen = new Set<string>();
  for (let page = 1; page <= maxPages && run.pending.length > 0; page += 1) {
    const path = page === 1 ? groupList : `${groupList}?page=${page}`;
    const found = listPageOf(await run.session.cleanup.get(path));
    const before = seen.size;
    for (const record of found?.records ?? []) {
      seen.add(idOf(record) ?? "");
      const known = run.live.size;
      const name = adopt(run, record)?.name;
      const resolved = run.live.size > known ? run.pending.indexOf(name ?? "") : -1;
      run.pending = run.pending.filter((_, index) => index !== resolved);
    }
    // A page past the end, or of a service that ignores page numbers, shows nothing new.
    if (seen.size === before) return;
  }
}

/** Finds the path at which the service shows a group: its id or uuid may select another one. */
async function find(
  requests: Requests,
  { id, uuid, name, created }: ScratchGroup,
): Promise<Located> {
  let why = "";
  let isRefused = false;
  for (const key of uuid === undefined ? [id] : [id, uuid]) {
    const path = groupPath(key);
    const outcome = await requests.get(path);
    if (outcome.kind === "success" && isObject(outcome.data)) {
      const shown = outcome.data;
      const isSame = scratchNameOf(shown) === name || shown["name"] === created["name"];
      if (idOf(shown) === id && isSame) return { path };
    }
    if (outcome.kind === "success") why = `for ${key} the service shows another group`;
    else if (outcome.kind !== "refused" || [401, 403].includes(outcome.status)) {
      return { why: explainInconclusive(outcome) };
    } else isRefused = true;
  }
  return { why: isRefused ? "the service does not find it" : why, isRefused };
}

/** Deletes a group. @returns why it may still exist */
async function removeOnce(
  run: Run,
  requests: Requests,
  group: ScratchGroup,
): Promise<string | undefined> {
  const { live, deleted, statuses } = run;
  const { id } = group;
  let why: string | undefined;
  for (let deletes = 0; deletes < maxDeletes; deletes += 1) {
    const found = await find(requests, group);
    if ("why" in found) {
      if (found.isRefused !== true || !deleted.has(id)) return found.why;
      live.delete(id);
      note(run);
      return undefined;
    }
    const outcome = await requests.write("DELETE", found.path);
    if (outcome.kind === "missing" && !outcome.mayBeDone) return outcome.why;
    deleted.add(id);
    if (outcome.kind === "success") {
      statuses.deleted.push(outcome.status);
      live.delete(id);
      note(run);
      return undefined;
    }
    why = explainInconclusive(outcome);
  }
  return why;
}

/** Deletes all known groups. @returns those that may still exist */
async function removeLive(run: Run): Promise<readonly Leftover[]> {
  const left: Leftover[] = [];
  for (const group of run.live.values()) {
    const why = await removeOnce(run, run.session.cleanup, group);
    if (why !== undefined) left.push({ name: group.name, id: group.id, why });
  }
  return left;
}
