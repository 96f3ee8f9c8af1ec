/**
 * How a service behaves where the specification is silent: the switches of a behaviour file. The
 * embedded engine follows them, `probe` finds them out, and the remote client relies on those that
 * a profile has. The first value or the default of each is the engine's own ruling.
 *
 * Every switch belongs to a ruling, by its number: docs/behaviour.md.
 */

export type SwitchValue = string | number | boolean;

/** What all switches have. */
interface Described {
  /** The number of the ruling. */
  readonly ruling: number;
  /** For the JSON Schema, the tables of `probe` and the documentation: a noun phrase. */
  readonly about: string;
}

/** A switch with a few values; the first is the default. */
interface Choice<Values extends readonly SwitchValue[]> extends Described {
  readonly values: Values;
}

/** A switch whose value is a whole number. */
interface Amount extends Described {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** Any switch. */
export type Switch = Choice<readonly [SwitchValue, ...SwitchValue[]]> | Amount;

function choice<const Values extends readonly [SwitchValue, ...SwitchValue[]]>(
  ruling: number,
  values: Values,
  about: string,
): Choice<Values> {
  return { ruling, about, values };
}

function amount(ruling: number, range: Omit<Amount, keyof Described>, about: string): Amount {
  return { ruling, about, ...range };
}

export const switches = {
  create_status: choice(1, [201, 200, 202], "HTTP status of a successful create"),
  delete_status: choice(1, [200, 202, 204], "HTTP status of a successful delete; 204 has no body"),
  error_body: choice(
    2,
    ["envelope", "message", "errors_by_field", "error", "error_message", "problem"],
    "body of a refusal: an envelope with status false; {message}; {message, errors}; {error: text}; {error: {message}}; or RFC 9457 problem details",
  ),
  error_status: choice(
    3,
    ["by_cause", "always_200"],
    "HTTP status of refusals: that of the cause, or 200 for all of them",
  ),
  not_found_status: choice(3, [404, 400, 410, 422], "HTTP status for an unknown name or id"),
  group_update_requires: choice(
    4,
    ["nothing", "name", "every_field"],
    "fields that an update of a group needs; every_field is all but sender_id",
  ),
  group_name_unique: choice(
    7,
    [false, true],
    "whether two groups of an integration cannot have the same name",
  ),
  update_fields_in_create: choice(
    10,
    ["refused", "ignored", "stored"],
    "send_holiday and sender_id in a create",
  ),
  unknown_fields: choice(11, ["refused", "ignored"], "unknown fields of a body"),
  omitted_in_update: choice(
    13,
    ["kept", "reset"],
    "fields that an update omits: they keep their values, or get those of a new group",
  ),
  null_in_update: choice(
    13,
    ["cleared", "ignored", "refused"],
    "null for birthday_message, send_holiday or sender_id in an update",
  ),
  sender_id_means: choice(
    14,
    ["name_or_id", "name", "id", "any_text"],
    "what sender_id of an update refers to; any_text is stored without a check",
  ),
  per_page_default: amount(
    18,
    { min: 1, max: 1000, default: 15 },
    "page size if perPage is omitted",
  ),
  per_page_max: amount(18, { min: 10, max: 1000, default: 1000 }, "largest page size"),
  page_parameter: choice(
    19,
    ["honoured", "ignored", "refused"],
    "the query parameter page; without it, only the first page can be read",
  ),
  group_lookup: choice(20, ["id_or_uuid", "id", "uuid"], "what identifies a group in a path"),
} as const satisfies Readonly<Record<string, Switch>>;

export type SwitchName = keyof typeof switches;

export const switchNames = Object.keys(switches) as readonly SwitchName[];

type ValueOfSwitch<One> = One extends Choice<infer Values> ? Values[number] : number;

/** A value for every switch. */
export type Behaviour = { readonly [Name in SwitchName]: ValueOfSwitch<(typeof switches)[Name]> };

/** The known behaviour of a service. A missing switch is unknown, or has its default. */
export type PartialBehaviour = { readonly [Name in SwitchName]?: Behaviour[Name] };

/** The engine's own rulings as a behaviour. */
export const ownBehaviour = Object.fromEntries(
  Object.entries(switches).map(([name, rule]) => [
    name,
    "values" in rule ? rule.values[0] : rule.default,
  ]),
) as unknown as Behaviour;

/** Returns whether a switch can have a value. */
export function isAllowed(name: SwitchName, value: unknown): value is SwitchValue {
  const rule: Switch = switches[name];
  if ("values" in rule) return rule.values.some((allowed) => allowed === value);
  return Number.isInteger(value) && (value as number) >= rule.min && (value as number) <= rule.max;
}

/** Returns the switches of a behaviour that differ from the engine's own rulings. */
export function changedSwitches(given: PartialBehaviour): PartialBehaviour {
  const isChanged = (name: SwitchName): boolean =>
    given[name] !== undefined && given[name] !== ownBehaviour[name];
  return Object.fromEntries(switchNames.filter(isChanged).map((name) => [name, given[name]]));
}

/** A pair of switches that cannot be combined, with the reason. */
interface Contradiction {
  readonly pair: readonly [SwitchName, SwitchName];
  readonly reason: string;
}

/** Returns the switches of a behaviour that contradict each other. */
export function contradictionsIn(given: PartialBehaviour): Contradiction[] {
  const { per_page_default, per_page_max, error_status } = { ...ownBehaviour, ...given };
  const found: Contradiction[] = [];
  if (per_page_default > per_page_max) {
    const reason = "the default page size is larger than the largest one";
    found.push({ pair: ["per_page_default", "per_page_max"], reason });
  }
  if (error_status === "always_200" && "not_found_status" in changedSwitches(given)) {
    const reason = "every refusal has status 200";
    found.push({ pair: ["error_status", "not_found_status"], reason });
  }
  return found;
}
