import type { SwitchName } from "../../contract/behaviour.ts";
import { allOf, shortText } from "../findings.ts";
import { Inconclusive, type Experiment } from "../experiment.ts";
import type { Fields } from "../outcome.ts";
import { wholeCreate, type ScratchBench } from "./bench.ts";

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
