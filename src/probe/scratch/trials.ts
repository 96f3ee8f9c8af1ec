import { isAllowed, type SwitchName } from "../../contract/behaviour.ts";
import { Unclear, type Experiment } from "../experiment.ts";
import { shortText } from "../findings.ts";
import type { Fields } from "../outcome.ts";
import { isFirst, wholeCreate, type ScratchBench } from "./bench.ts";

/** An unusual value of one field, which is sent with all others, and what the stored value means. */
interface Trial {
  /** A noun phrase. */
  readonly label: string;
  readonly field: string;
  /** Returns the value to send. @param usual the value that an ordinary request has */
  readonly send: (usual: unknown, bench: ScratchBench) => unknown;
  /** Returns the value of the switch, or a text that describes anything else. */
  readonly shows: (stored: unknown, usual: unknown, bench: ScratchBench, record: Fields) => unknown;
}

/** Creates and updates, which have to agree on the value of a switch. */
interface Trials {
  readonly by: readonly ("create" | "update")[];
  readonly trials: readonly Trial[];
  /** The value if they are refused (default: "refused"). */
  readonly refused?: unknown;
  readonly cause?: "invalid" | "taken";
  /** A value after which the rest is not tried. */
  readonly decisive?: unknown;
}

function spaces(field: "name" | "birthday_message"): Trial {
  return {
    label: `a space before and after ${field}`,
    field,
    send: (usual) => ` ${String(usual)} `,
    shows: (stored, usual) => {
      if (stored === usual) return "trimmed";
      return stored === ` ${String(usual)} ` ? "kept" : "changed in another way";
    },
  };
}

function nullFor(field: "birthday_message" | "send_holiday"): Trial {
  return {
    label: `${field} null`,
    field,
    send: () => null,
    shows: (stored, usual) => {
      if (stored === null) return "cleared";
      return stored === usual ? "ignored" : `${field} becomes ${shortText(stored)}`;
    },
  };
}

/** A value of another type. @param right returns what it is as the right type */
function typed(
  field: "send_birthday" | "birthday_message",
  send: (usual: unknown) => unknown,
  right: (usual: unknown) => unknown,
): Trial {
  return {
    label: "a value of another type",
    field,
    send,
    shows: (stored, usual) =>
      stored === right(usual)
        ? "coerced"
        : `${field} ${shortText(send(usual))} becomes ${shortText(stored)}`,
  };
}

const isNotTrue = (value: unknown): boolean => value !== true;

const all: { readonly [Name in SwitchName]?: Trials } = {
  group_name_unique: {
    by: ["create"],
    refused: true,
    cause: "taken",
    trials: [
      {
        label: "the name of another scratch group",
        field: "name",
        send: (_, { first }) => first.name,
        shows: (_stored, _usual, bench, record) =>
          isFirst(bench, record) ? "the existing group is returned" : false,
      },
    ],
  },
  update_fields_in_create: {
    by: ["create"],
    decisive: "stored",
    trials: [
      {
        label: "send_holiday",
        field: "send_holiday",
        send: (_, { first }) => isNotTrue(first.created["send_holiday"]),
        shows: (stored, _, { first: { created } }) => {
          if (stored === isNotTrue(created["send_holiday"])) return "stored";
          return stored === created["send_holiday"] ? "ignored" : "send_holiday is changed";
        },
      },
      {
        label: "sender_id",
        field: "sender_id",
        send: (_, { first }) => first.name,
        shows: () => "ignored",
      },
    ],
  },
  unknown_fields: {
    by: ["create", "update"],
    trials: [
      {
        label: "an unknown field",
        field: "sendctl_probe",
        send: () => "unknown",
        shows: () => "ignored",
      },
    ],
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
        shows: (stored) => {
          if (stored === null) return "null";
          return stored === "" ? "kept" : "another text is stored";
        },
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

/** Sends one trial. @returns the value that it shows @throws Unclear */
async function valueOf(
  bench: ScratchBench,
  by: "create" | "update",
  { label, field, send, shows }: Trial,
  { cause, refused = "refused" }: Trials,
): Promise<unknown> {
  let whole = bench.whole();
  let record: Fields | undefined;
  if (by === "update") {
    // The field has its usual value before.
    const isSet = (): boolean => bench.current()[field] === whole[field];
    if (!isSet()) await bench.update(whole, undefined);
    if (!isSet()) throw new Unclear("the scratch group could not be set up");
    const body = { ...whole, [field]: send(whole[field], bench) };
    record = await bench.update(body, `an update with ${label}`, cause);
  } else {
    const body = (name: string): Fields => {
      whole = wholeCreate(name);
      return { ...whole, [field]: send(whole[field], bench) };
    };
    record = await bench.create(body, `a create with ${label}`, cause);
  }
  return record === undefined ? refused : shows(record[field], whole[field], bench, record);
}

/** The experiments that are one kind of request each. */
export const trialExperiments = Object.entries(all).map(
  ([name, given]): Experiment<ScratchBench> => {
    const { by, trials, decisive } = given;
    const labels = new Set(trials.map(({ label }) => label));
    return {
      finds: [name as SwitchName],
      how: `${by.join("s and ")}s with ${[...labels].join(" and ")}`,
      run: async (bench) => {
        const seen = new Set<unknown>();
        for (const way of by) {
          for (const trial of trials) {
            if (decisive !== undefined && seen.has(decisive)) break;
            seen.add(await valueOf(bench, way, trial, given));
          }
        }
        const [value] = seen;
        const isOne = seen.size === 1 && isAllowed(name as SwitchName, value);
        return { [name]: isOne ? { value } : { odd: [...seen].join(" or ") } };
      },
    };
  },
);
