import type { SwitchName } from "../../contract/behaviour.ts";
import { allOf, shortText } from "../findings.ts";
import type { Cause } from "../refusals.ts";
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
  readonly cause?: Cause;
}

function spaced(usual: unknown): string {
  return ` ${String(usual)} `;
}

function spaces(field: "name" | "birthday_message"): Trial {
  return {
    field,
    send: spaced,
    means: (usual) => ({ trimmed: usual, kept: spaced(usual) }),
  };
}

function nullFor(field: "birthday_message" | "send_holiday"): Trial {
  return {
    field,
    send: () => null,
    means: (usual) => ({ cleared: null, ignored: usual }),
  };
}

/** A value of another type. @param right returns what it is as the right type */
function typed(
  field: "send_birthday" | "birthday_message",
  send: (usual: unknown) => unknown,
  right: (usual: unknown) => unknown,
): Trial {
  const means = (usual: unknown) => ({ coerced: right(usual) });
  return { field, send, means };
}

const isNotTrue = (value: unknown): boolean => value !== true;

const all: { readonly [Name in SwitchName]?: Trials } = {
  group_name_unique: {
    by: ["create"],
    refused: true,
    accepted: false,
    cause: "taken",
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
  group_name_spaces: { by: ["create", "update"], trials: [spaces("name")] },
  birthday_message_spaces: { by: ["create", "update"], trials: [spaces("birthday_message")] },
  birthday_message_empty: {
    by: ["update"],
    trials: [
      { field: "birthday_message", send: () => "", means: () => ({ null: null, kept: "" }) },
    ],
  },
  null_in_update: {
    by: ["update"],
    trials: [nullFor("birthday_message"), nullFor("send_holiday")],
  },
  types: {
    by: ["update"],
    refused: "strict",
    trials: [
      typed("send_birthday", (usual) => String(isNotTrue(usual)), isNotTrue),
      typed("send_birthday", (usual) => Number(isNotTrue(usual)), isNotTrue),
      typed("send_birthday", (usual) => String(Number(isNotTrue(usual))), isNotTrue),
      typed(
        "birthday_message",
        () => 12345,
        () => "12345",
      ),
    ],
  },
};

/** Sends one trial. @returns the value that it shows, or a text that describes anything else @throws Inconclusive */
async function valueOf(
  bench: ScratchBench,
  by: "create" | "update",
  { field, send, means }: Trial,
  { cause, refused = "refused", accepted = "ignored" }: Trials,
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
    record = await bench.update(body(), cause);
  } else {
    const create = (name: string): Fields => {
      whole = wholeCreate(name);
      return body();
    };
    record = await bench.create(create, cause);
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
