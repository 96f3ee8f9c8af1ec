import type { SwitchName } from "../../contract/behaviour.ts";
import { allOf, shortText } from "../findings.ts";
import { Inconclusive, type Experiment, conclusive, type Bench } from "../experiment.ts";
import { type Fields, idOf, explainInconclusive } from "../outcome.ts";
import { isObject } from "../../contract/service.ts";
import type { Located, ScratchGroup, ScratchGroups } from "./groups.ts";

/** An unusual value of one field, which is sent with all others. */
interface Trial {
  readonly field: string;
  /** Returns the value to send. @param usual the value that an ordinary request has */
  readonly send: (usual: unknown, bench: ScratchBench) => unknown;
  /** Returns the stored value that each value of the switch stands for (default: `accepted`, whatever is stored). */
  readonly means?: (usual: unknown, bench: ScratchBench) => Readonly<Record<string, unknown>>;
}

/** Creates and updates, which have to agree on the value of a switch. */
interface Trials {
  readonly by: readonly ("create" | "update")[];
  readonly trials: readonly Trial[];
  /** The value if they are refused (default: "refused"). */
  readonly refused?: unknown;
  /** The value if they are accepted (default: "ignored"). */
  readonly accepted?: unknown;
}

function nullFor(field: "birthday_message" | "send_holiday"): Trial {
  return {
    field,
    send: () => null,
    means: (usual) => ({ cleared: null, ignored: usual }),
  };
}

const isNotTrue = (value: unknown): boolean => value !== true;

const all: { readonly [Name in SwitchName]?: Trials } = {
  group_name_unique: {
    by: ["create"],
    refused: true,
    accepted: false,
    trials: [{ field: "name", send: (_, { first }) => first.name }],
  },
  update_fields_in_create: {
    by: ["create"],
    trials: [
      {
        field: "send_holiday",
        send: (_, { first }) => isNotTrue(first.created["send_holiday"]),
        means: (_, { first: { created } }) => ({
          stored: isNotTrue(created["send_holiday"]),
          ignored: created["send_holiday"],
        }),
      },
    ],
  },
  unknown_fields: {
    by: ["create", "update"],
    trials: [{ field: "sendctl_probe", send: () => "unknown" }],
  },
  null_in_update: {
    by: ["update"],
    trials: [nullFor("birthday_message"), nullFor("send_holiday")],
  },
};

/** Sends one trial. @returns the value that it shows, or a text that describes anything else @throws Inconclusive */
async function valueOf(
  bench: ScratchBench,
  by: "create" | "update",
  { field, send, means }: Trial,
  { refused = "refused", accepted = "ignored" }: Trials,
): Promise<unknown> {
  let whole = bench.whole();
  let sent: unknown;
  let record: Fields | undefined;
  const body = (): Fields => {
    sent = send(whole[field], bench);
    return { ...whole, [field]: sent };
  };
  if (by === "update") {
    const before = await bench.update(whole);
    if (before?.[field] !== whole[field]) {
      throw new Inconclusive("the scratch group could not be set up");
    }
    record = await bench.update(body());
  } else {
    const create = (name: string): Fields => {
      whole = wholeCreate(name);
      return body();
    };
    record = await bench.create(create);
    if (record !== undefined && bench.isFirst(record)) return "the existing group is returned";
  }
  if (record === undefined) return refused;
  if (means === undefined) return accepted;
  const stored = record[field];
  const meanings = Object.entries(means(whole[field], bench));
  const [value] = meanings.find(([, meaning]) => meaning === stored) ?? [];
  return value ?? `${field} ${shortText(sent)} becomes ${shortText(stored)}`;
}

/** The experiments that are one kind of request each. */
export const trialExperiments = Object.entries(all).map(
  ([name, given]): Experiment<ScratchBench> => {
    const { by, trials } = given;
    return {
      finds: [name as SwitchName],
      run: async (bench) => {
        const seen: unknown[] = [];
        for (const way of by) {
          for (const trial of trials) seen.push(await valueOf(bench, way, trial, given));
        }
        return { [name]: allOf(seen) };
      },
    };
  },
);

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
