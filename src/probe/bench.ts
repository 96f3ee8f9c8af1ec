import { randomBytes } from "node:crypto";
import type { SwitchName, SwitchValue } from "../contract/behaviour.ts";
import { isStop, SendctlError } from "../core/error.ts";
import { isObject, type GroupFields, type Page, type ShownRecord } from "../contract/service.ts";
import {
  groupList,
  groupPath,
  idOf,
  Unknown,
  type ProbeTarget,
  type Requests,
} from "./requests.ts";

/** The birthday message of scratch groups. */
export const message = "Sent by nobody: sendctl probe deletes this group";

/** The names of scratch groups, which nobody else can guess. */
const form = /^sendctl-probe-[0-9a-f]{12}-\d\d$/i;

/** Returns a new beginning of names. */
export function newPrefix(): string {
  return `sendctl-probe-${randomBytes(6).toString("hex")}`;
}

/** Returns the name of the scratch group that a record is; undefined if it is none. */
export function scratchNameOf({ name }: ShownRecord): string | undefined {
  return typeof name === "string" && form.test(name) ? name.toLowerCase() : undefined;
}

/** A group that the probe created. */
export interface ScratchGroup {
  readonly id: string;
  readonly name: string;
  /** As the response to its create shows it. */
  readonly record: ShownRecord;
}

/** A group that could not be deleted, or a create whose outcome is unknown. */
export interface Leftover {
  readonly name: string;
  /** Null if the group was never seen. */
  readonly id: string | null;
  readonly why: string;
}

/** Returns the body of a create with every field of the specification. */
function wholeGroup(name: string): Required<GroupFields> {
  return { name, send_birthday: true, birthday_message: message };
}

/** Milliseconds before each attempt to delete what is left: lists may be behind. */
const pauses = [0, 500, 1500, 2000];

/** The groups that a probe creates. It deletes these, and no other. */
type Bench = ReturnType<typeof createBench>;

export function createBench(target: ProbeTarget, { write }: Requests) {
  const prefix = newPrefix();
  let number = 0;
  /** All groups that were created, by their ids. */
  const groups = new Map<string, ShownRecord>();
  /** The ids of groups that were deleted: a list may still show them. */
  const deleted = new Set<string>();
  /** The names of creates whose outcome is unknown. */
  let lost: readonly string[] = [];
  /** Why this attempt of the cleanup sends nothing more. */
  let absent: string | undefined;
  const statuses = { created: [] as number[], deleted: [] as number[] };

  const createOnce = async (fields: ShownRecord): Promise<ScratchGroup | undefined> => {
    number += 1;
    const body = { ...wholeGroup(`${prefix}-${String(number).padStart(2, "0")}`), ...fields };
    const { name } = body;
    const lose = (why: Unknown): never => {
      if (why.mayBeDone) lost = [...lost, name];
      throw why;
    };
    const created = await write("POST", groupList, body).catch(lose);
    // Another group has the name: a lost create of it was refused for the same reason.
    if (created === undefined) lost = lost.filter((other) => other !== name);
    if (created === undefined) return undefined;
    const record = isObject(created.data) ? created.data : {};
    const id = idOf(record);
    if (id === undefined || !isNamed(record, name)) {
      return lose(new Unknown("the response does not show the group", true));
    }
    groups.set(id, groups.get(id) ?? record);
    if (scratchNameOf(record) !== name) {
      // After an interruption, nothing would show that it belongs to a probe.
      throw new Unknown("the service stores names in another form");
    }
    statuses.created.push(created.status);
    return { id, name, record };
  };

  /** Adopts a listed group whose create got no response. */
  const adopt = (record: ShownRecord): void => {
    const [id, name] = [idOf(record), scratchNameOf(record)];
    const index = lost.findIndex((other) => other === name);
    if (id === undefined || index < 0 || groups.has(id)) return;
    groups.set(id, record);
    lost = lost.toSpliced(index, 1);
  };

  /** Returns why the cleanup failed, for a lost response. @throws any other error */
  const reasonOf = (error: unknown): string => {
    if (!(error instanceof SendctlError)) throw error;
    if (error.kind === "unavailable" && error.reply === undefined) absent = error.message;
    return isStop(error.kind) ? "interrupted" : error.message;
  };

  /** Deletes a group, with two requests. @returns why it may still exist */
  const remove = async (id: string, group: ShownRecord): Promise<string | undefined> => {
    if (absent !== undefined) return absent;
    await target.pause(500);
    return target.remove(group).then((status) => {
      if (status !== undefined) statuses.deleted.push(status);
      deleted.add(id);
      return undefined;
    }, reasonOf);
  };

  return {
    prefix,
    /** The statuses of responses to creates and deletes that succeeded. */
    statuses,
    /**
     * Creates a group, and another one if the outcome is unknown.
     *
     * @param fields in addition to those of `wholeGroup`, or instead of them
     * @returns undefined for a refusal
     * @throws Unknown if no response shows the group
     */
    create: async (fields: ShownRecord): Promise<ScratchGroup | undefined> => {
      for (let creates = 1; ; creates += 1) {
        try {
          return await createOnce(fields);
        } catch (error) {
          const isLost = error instanceof Unknown && error.mayBeDone;
          if (!isLost || creates === 3) throw error;
        }
      }
    },
    /** Deletes all groups, also of lost creates. @returns those that may still exist */
    removeAll: async (): Promise<readonly Leftover[]> => {
      let left: readonly Leftover[] = [];
      for (const pause of pauses) {
        await target.pause(pause);
        absent = undefined;
        if (lost.length > 0) await target.eachGroup(adopt).catch(reasonOf);
        left = [];
        for (const [id, group] of groups) {
          const why = deleted.has(id) ? undefined : await remove(id, group);
          if (why !== undefined) left = [...left, { name: String(group["name"]), id, why }];
        }
        if (left.length + lost.length === 0) break;
      }
      const why = "the response to its create was lost, and no list shows it";
      return [...left, ...lost.map((name) => ({ name, id: null, why }))];
    },
  };
}

/** Returns whether a record has a name that was sent, perhaps cut off or without its dashes. */
function isNamed({ name: stored }: ShownRecord, name: string): boolean {
  const [kept = "", sent = ""] = [stored, name].map((one) => String(one).replaceAll(/[\W_]/g, ""));
  // Four digits of the run are enough.
  return kept.length >= 16 && sent.startsWith(kept.toLowerCase());
}

/** What all experiments share. */
export interface Lab extends Requests, Bench {
  /** The first page of the groups, without a page size. */
  readonly groups: Page<ShownRecord>;
  /** Returns the value that an earlier experiment has found. */
  readonly known: (name: SwitchName) => SwitchValue | undefined;
}

/** What experiments use that change nothing. */
export type ReadLab = Pick<Lab, "get" | "groups" | "known" | "refusals" | "statuses">;

export type ScratchLab = ReturnType<typeof createScratchLab>;

/** Creates the bench of scratch groups. @param first the group that updates change */
export function createScratchLab(lab: Lab, first: ScratchGroup) {
  const { id, name, record } = first;
  const uuid = typeof record["uuid"] === "string" ? record["uuid"] : undefined;

  /** Returns whether a fetch by a key shows the first group. @throws Unknown for another */
  const finds = async (key: string): Promise<boolean> => {
    const fetched = await lab.get(groupPath(key));
    if (fetched === undefined) return false;
    const shown = isObject(fetched.data) ? fetched.data : {};
    if (idOf(shown) === id && scratchNameOf(shown) === name) return true;
    throw new Unknown(`for ${key} the service shows another group`);
  };

  const findPath = async (): Promise<string> => {
    if (await finds(id)) return groupPath(id);
    if (uuid !== undefined && (await finds(uuid))) return groupPath(uuid);
    throw new Unknown("the service does not find the scratch group");
  };
  let path: Promise<string> | undefined;

  const update = async (body: ShownRecord): Promise<ShownRecord | undefined> => {
    path ??= findPath();
    const shown = await lab.write("PUT", await path, body);
    return shown && (isObject(shown.data) ? shown.data : {});
  };

  return {
    ...lab,
    first: { ...first, uuid },
    finds,
    /** Changes the first group. @returns its fields; undefined for a refusal @throws Unknown */
    update,
    /** Sets every visible field of the first group. @returns the accepted body @throws Unknown */
    setAll: async (flag = true): Promise<ShownRecord> => {
      const body: ShownRecord = { ...wholeGroup(name), send_birthday: flag, send_holiday: flag };
      const shown = await update(body);
      const isShown = (field: string): boolean => shown?.[field] === body[field];
      if (Object.keys(body).every(isShown)) return body;
      throw new Unknown("no update of every field of the scratch group succeeds");
    },
  };
}
