import { isAllowed, type SwitchName } from "../../contract/behaviour.ts";
import { shortText, type Cause } from "../findings.ts";
import { Inconclusive, type Experiment } from "../experiment.ts";
import type { Fields } from "../outcome.ts";
import { wholeCreate, type ScratchBench } from "./bench.ts";

/** An unusual value of one field, which is sent with all others. */
interface Trial {
  /** A noun phrase. */
  readonly label: string;
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
    label: `a space before and after ${field}`,
    field,
    send: spaced,
    means: (usual) => ({ trimmed: usual, kept: spaced(usual) }),
  };
}

function nullFor(field: "birthday_message" | "send_holiday"): Trial {
  return {
    label: `${field} null`,
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
  return { label: "a value of another type", field, send, means };
}

const isNotTrue = (value: unknown): boolean => value !== true;

const all: { readonly [Name in SwitchName]?: Trials } = {
  group_name_unique: {
    by: ["create"],
    refused: true,
    accepted: false,
    cause: "taken",
    trials: [
      {
        label: "the name of another scratch group",
        field: "name",
        send: (_, { first }) => first.name,
      },
    ],
  },
  update_fields_in_create: {
    by: ["create"],
    trials: [
      {
        label: "send_holiday",
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
    trials: [{ label: "an unknown field", field: "sendctl_probe", send: () => "unknown" }],
  },
  group_name_spaces: { by: ["create", "update"], trials: [spaces("name")] },
  birthday_message_spaces: { by: ["create", "update"], trials: [spaces("birthday_message")] },
  birthday_message_empty: {
    by: ["update"],
    trials: [
      {
        label: "an empty birthday message",
        field: "birthday_message",
        send: () => "",
        means: () => ({ null: null, kept: "" }),
      },
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
  { label, field, send, means }: Trial,
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
    // The field has its usual value before.
    const isSet = (): boolean => bench.current()[field] === whole[field];
    if (!isSet()) await bench.update(whole);
    if (!isSet()) throw new Inconclusive("the scratch group could not be set up");
    record = await bench.update(body(), `an update with ${label}`, cause);
  } else {
    const create = (name: string): Fields => {
      whole = wholeCreate(name);
      return body();
    };
    record = await bench.create(create, `a create with ${label}`, cause);
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
    const labels = new Set(trials.map(({ label }) => label));
    return {
      finds: [name as SwitchName],
      how: `${by.join("s and ")}s with ${[...labels].join(" and ")}`,
      run: async (bench) => {
        const seen = new Set<unknown>();
        for (const way of by) {
          for (const trial of trials) seen.add(await valueOf(bench, way, trial, given));
        }
        const [value] = seen;
        const isOne = seen.size === 1 && isAllowed(name as SwitchName, value);
        return { [name]: isOne ? { value } : { description: [...seen].join(" or ") } };
      },
    };
  },
);
