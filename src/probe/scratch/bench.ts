import { isObject } from "../../contract/service.ts";
import { conclusive, Inconclusive, type Bench } from "../experiment.ts";
import { idOf, explainInconclusive, type Fields } from "../outcome.ts";
import type { Located, ScratchGroup, ScratchGroups } from "./groups.ts";

/** What experiments with scratch groups use. A refusal is undefined, and recorded. */
export type ScratchBench = ReturnType<typeof createScratchBench>;

export const message = "Sent by nobody: sendctl probe deletes this group";

/** Returns the body of a create with every field of the specification. */
export function wholeCreate(name: string): Fields {
  return { name, send_birthday: true, birthday_message: message };
}

export function createScratchBench(bench: Bench, scratch: ScratchGroups, first: ScratchGroup) {
  const { session, refusals } = bench;
  let located: Located | undefined;

  /** Returns the body of an update with every visible field. */
  const whole = (): Fields => ({ ...wholeCreate(first.name), send_holiday: true });

  /** Finds the group, and sets every field. */
  const setUp = async (): Promise<Located> => {
    const found = await scratch.find(first);
    if ("why" in found) return found;
    const body = whole();
    const outcome = await session.write("PUT", found.path, body);
    if (outcome.kind !== "success") {
      return { why: `an update of every field: ${explainInconclusive(outcome)}` };
    }
    const shown = isObject(outcome.data) ? outcome.data : {};
    const lacks = Object.entries(body).find(([field, value]) => shown[field] !== value);
    if (lacks === undefined) return found;
    return { why: `ambiguous: after an update, the response does not show its ${lacks[0]}` };
  };

  return {
    ...bench,
    scratch,
    /** The group that updates change. */
    first,
    /** Returns whether a record is the first group. */
    isFirst: (record: Fields): boolean => idOf(record) === first.id,
    /** A body that sets every visible field, and that the service accepts. */
    whole,
    /** Creates a group, and deletes it. @param fields returns the body for a new name @throws Inconclusive */
    create: async (fields: (name: string) => Fields): Promise<Fields | undefined> => {
      const created = await scratch.create(fields);
      if ("kind" in created) {
        refusals.record("field", created);
        return undefined;
      }
      // An id that another create returned belongs to the first group.
      if (created.id !== first.id) await scratch.remove(created);
      return created.created;
    },
    /** Changes the first group. @returns its fields as the response shows them @throws Inconclusive */
    update: async (body: Fields): Promise<Fields | undefined> => {
      located ??= await setUp();
      if ("why" in located) throw new Inconclusive(located.why);
      const outcome = conclusive(await session.write("PUT", located.path, body));
      if (outcome.kind === "refused") {
        refusals.record("field", outcome);
        return undefined;
      }
      return isObject(outcome.data) ? outcome.data : {};
    },
  };
}
