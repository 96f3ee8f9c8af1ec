/**
 * How a service behaves where the specification is silent: the switches of a behaviour file. The embedded engine
 * follows them, `probe` finds them out, and the remote client relies on those that a profile has. The first
 * value or the default of each is the engine's own ruling.
 *
 * Every switch belongs to a ruling, by its number: docs/behaviour.md.
 */

/** A switch with a few values; the first is the default. */
interface Choice<Value extends SwitchValue = SwitchValue> {
  readonly ruling: number;
  readonly values: readonly [Value, ...Value[]];
  readonly observed: Observed;
  /** For the JSON Schema, the tables of `probe` and the documentation: a noun phrase. */
  readonly about: string;
}

/** A switch whose value is a number. */
interface Amount {
  readonly ruling: number;
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly observed: Observed;
  readonly about: string;
}

/** How `probe` can observe a switch: by GET requests, with a group of its own, or not at all. */
type Observed = "read" | "scratch" | "never";

export type SwitchValue = string | number | boolean | null;

export const switches = {
  create_status: {
    ruling: 1,
    values: [201, 200, 202],
    observed: "scratch",
    about: "HTTP status of a successful create",
  },
  delete_status: {
    ruling: 1,
    values: [200, 202, 204],
    observed: "scratch",
    about: "HTTP status of a successful delete; 204 has no body",
  },
  error_body: {
    ruling: 2,
    values: ["envelope", "message", "errors_by_field", "error", "error_message", "problem"],
    observed: "read",
    about:
      "body of a refusal: an envelope with status false; {message}; {message, errors}; {error: text}; {error: {message}}; or RFC 9457 problem details",
  },
  error_status: {
    ruling: 3,
    values: ["by_cause", "always_200"],
    observed: "read",
    about: "HTTP status of refusals: that of the cause, or 200 for all of them",
  },
  no_key_status: {
    ruling: 3,
    values: [401, 403, 400],
    observed: "read",
    about: "HTTP status for a request without a key",
  },
  unknown_key_status: {
    ruling: 3,
    values: [401, 403],
    observed: "read",
    about: "HTTP status for an unknown key",
  },
  unknown_path_status: {
    ruling: 3,
    values: [404, 400, 403],
    observed: "read",
    about: "HTTP status for an unknown path",
  },
  not_found_status: {
    ruling: 3,
    values: [404, 400, 410, 422],
    observed: "read",
    about: "HTTP status for an unknown name or id",
  },
  invalid_status: {
    ruling: 3,
    values: [422, 400],
    observed: "scratch",
    about: "HTTP status for invalid fields",
  },
  taken_status: {
    ruling: 3,
    values: [409, 422, 400],
    observed: "scratch",
    about: "HTTP status for a name that is taken",
  },
  sender_id_create_requires: {
    ruling: 4,
    values: ["name_and_purpose", "name"],
    observed: "never",
    about: "fields that a new sender ID needs; a missing purpose is stored as an empty text",
  },
  group_create_requires: {
    ruling: 4,
    values: ["name", "name_and_send_birthday", "every_field"],
    observed: "scratch",
    about: "fields that a new group needs; every_field is name, send_birthday and birthday_message",
  },
  group_update_requires: {
    ruling: 4,
    values: ["nothing", "name", "every_field"],
    observed: "scratch",
    about: "fields that an update of a group needs; every_field is all but sender_id",
  },
  group_name_max: {
    ruling: 7,
    min: 60,
    max: 1000,
    default: 255,
    observed: "scratch",
    about: "longest name of a group, in characters",
  },
  group_name_unique: {
    ruling: 7,
    values: [false, true],
    observed: "scratch",
    about: "whether two groups of an integration cannot have the same name",
  },
  group_name_spaces: {
    ruling: 7,
    values: ["refused", "trimmed", "kept"],
    observed: "scratch",
    about: "white space at the beginning or end of a group's name",
  },
  birthday_message_max: {
    ruling: 8,
    min: 70,
    max: 5000,
    default: 1600,
    observed: "scratch",
    about: "longest birthday message, in characters",
  },
  birthday_message_empty: {
    ruling: 8,
    values: ["refused", "null", "kept"],
    observed: "scratch",
    about: "an empty birthday message: refused, stored as null, or stored as an empty text",
  },
  birthday_message_spaces: {
    ruling: 8,
    values: ["kept", "trimmed"],
    observed: "scratch",
    about: "white space at the beginning or end of a birthday message",
  },
  default_send_birthday: {
    ruling: 9,
    values: [false, true],
    observed: "scratch",
    about: "send_birthday of a new group if omitted",
  },
  default_send_holiday: {
    ruling: 9,
    values: [null, false, true],
    observed: "scratch",
    about: "send_holiday of a new group",
  },
  default_birthday_message: {
    ruling: 9,
    values: [null, ""],
    observed: "scratch",
    about: "birthday_message of a new group if omitted",
  },
  update_fields_in_create: {
    ruling: 10,
    values: ["refused", "ignored", "stored"],
    observed: "scratch",
    about: "send_holiday and sender_id in a create",
  },
  unknown_fields: {
    ruling: 11,
    values: ["refused", "ignored"],
    observed: "scratch",
    about: "unknown fields of a body",
  },
  types: {
    ruling: 12,
    values: ["strict", "coerced"],
    observed: "scratch",
    about:
      'whether "true", "false", "1", "0", 1 and 0 are accepted as booleans, and numbers as texts',
  },
  omitted_in_update: {
    ruling: 13,
    values: ["kept", "reset"],
    observed: "scratch",
    about: "fields that an update omits: they keep their values, or get those of a new group",
  },
  null_in_update: {
    ruling: 13,
    values: ["cleared", "ignored", "refused"],
    observed: "scratch",
    about: "null for birthday_message, send_holiday or sender_id in an update",
  },
  sender_id_means: {
    ruling: 14,
    values: ["name_or_id", "name", "id", "any_text"],
    observed: "scratch",
    about: "what sender_id of an update refers to; any_text is stored without a check",
  },
  per_page_default: {
    ruling: 18,
    min: 1,
    max: 1000,
    default: 15,
    observed: "read",
    about: "page size if perPage is omitted",
  },
  per_page_max: {
    ruling: 18,
    min: 10,
    max: 1000,
    default: 1000,
    observed: "read",
    about: "largest page size",
  },
  per_page_over_max: {
    ruling: 18,
    values: ["refused", "capped"],
    observed: "read",
    about: "a perPage over the largest page size",
  },
  per_page_invalid: {
    ruling: 18,
    values: ["refused", "default"],
    observed: "read",
    about: "a perPage of 0: refused, or replaced with the default",
  },
  page_parameter: {
    ruling: 19,
    values: ["honoured", "ignored", "refused"],
    observed: "read",
    about: "the query parameter page; without it, only the first page can be read",
  },
  past_the_end: {
    ruling: 19,
    values: ["empty", "refused", "last"],
    observed: "read",
    about: "a page past the end: empty, refused, or the last page instead",
  },
  group_lookup: {
    ruling: 20,
    values: ["id_or_uuid", "id", "uuid"],
    observed: "scratch",
    about: "what identifies a group in a path",
  },
} as const satisfies Readonly<Record<string, Choice | Amount>>;

export type SwitchName = keyof typeof switches;

type ValueOfSwitch<One> = One extends { readonly values: readonly (infer Value)[] }
  ? Value
  : number;

/** A value for every switch. */
export type Behaviour = { readonly [Name in SwitchName]: ValueOfSwitch<(typeof switches)[Name]> };

/** What is known of the behaviour of a service. A missing switch is unknown, or not changed from the default. */
export type PartialBehaviour = { readonly [Name in SwitchName]?: Behaviour[Name] };

/** Returns the value of a switch in the engine's own rulings. */
export function defaultOf<Name extends SwitchName>(name: Name): Behaviour[Name] {
  const one: Choice | Amount = switches[name];
  return ("values" in one ? one.values[0] : one.default) as Behaviour[Name];
}

/** Returns a complete behaviour: the given switches, and the engine's own rulings for the others. */
export function completeBehaviour(given: PartialBehaviour): Behaviour {
  const names = Object.keys(switches) as SwitchName[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? defaultOf(name)])) as never;
}

/** Returns the names of the switches that differ from the engine's own rulings. */
export function changedSwitches(given: PartialBehaviour): SwitchName[] {
  const names = Object.keys(switches) as SwitchName[];
  return names.filter((name) => given[name] !== undefined && given[name] !== defaultOf(name));
}

/** A pair of switches that cannot be combined, with the reason. */
export interface Contradiction {
  readonly one: SwitchName;
  readonly other: SwitchName;
  readonly reason: string;
}

/** Returns the switches of a behaviour that contradict each other. */
export function contradictionsIn(given: PartialBehaviour): Contradiction[] {
  const {
    per_page_default: size,
    per_page_max: max,
    error_status,
    page_parameter,
  } = {
    ...completeBehaviour(given),
  };
  const found: Contradiction[] = [];
  if (size > max) {
    const reason = "the default page size is larger than the largest one";
    found.push({ one: "per_page_default", other: "per_page_max", reason });
  }
  if (error_status === "always_200") {
    const statuses = changedSwitches(given).filter(
      (name) => name.endsWith("_status") && switches[name].ruling === 3 && name !== "error_status",
    );
    const reason = "every refusal has status 200";
    for (const other of statuses) found.push({ one: "error_status", other, reason });
  }
  if (page_parameter !== "honoured" && changedSwitches(given).includes("past_the_end")) {
    const reason = "without page numbers, no page is past the end";
    found.push({ one: "page_parameter", other: "past_the_end", reason });
  }
  return found;
}
