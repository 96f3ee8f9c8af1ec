import type { Behaviour } from "../../contract/behaviour.ts";
import type { Field, Fields } from "../../contract/resources.ts";

type Body = Readonly<Record<string, unknown>>;

/** Changes a body before its checks. */
export type Conversion = (body: Body) => Body;

/** Returns the new value of a field. */
type Change = (value: unknown) => unknown;

/** Values that stand for booleans if types are coerced: ruling 12. */
const booleans: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ["true", true],
  ["1", true],
  [1, true],
  ["false", false],
  ["0", false],
  [0, false],
]);

/**
 * Returns what changes a body before its checks: ignored fields (rulings 10 and 11), coerced types (12) and trimmed
 * texts (7 and 8). Undefined if the behaviour changes nothing, as the engine's own.
 */
export function conversionOf(
  fields: Fields,
  names: { readonly allowed: readonly string[]; readonly updateOnly: readonly string[] },
  behaviour: Behaviour,
): Conversion | undefined {
  const ignoresUnknown = behaviour.unknown_fields === "ignored";
  const ignored = new Set(behaviour.update_fields_in_create === "ignored" ? names.updateOnly : []);
  const changes = new Map<string, Change>();
  for (const name of names.allowed) {
    const change = changeOf(fields[name]!, behaviour);
    if (change !== undefined) changes.set(name, change);
  }
  if (!ignoresUnknown && ignored.size === 0 && changes.size === 0) return undefined;
  const known = new Set([...names.allowed, ...names.updateOnly]);
  const isKept = (name: string): boolean =>
    !ignored.has(name) && (!ignoresUnknown || known.has(name));
  return (body) =>
    Object.fromEntries(
      Object.entries(body)
        .filter(([name]) => isKept(name))
        .map(([name, value]) => [name, changes.get(name)?.(value) ?? value]),
    );
}

function changeOf(field: Field, behaviour: Behaviour): Change | undefined {
  const isCoerced = behaviour.types === "coerced";
  const { group_name_spaces: name, birthday_message_spaces: message } = behaviour;
  const isTrimmed =
    (field.ruling === 7 ? name : field.ruling === 8 ? message : "kept") === "trimmed";
  if (field.type === "boolean") return isCoerced ? (value) => booleans.get(value) : undefined;
  if (!isCoerced && !isTrimmed) return undefined;
  return (value) => {
    const text = isCoerced && typeof value === "number" ? String(value) : value;
    return isTrimmed && typeof text === "string" ? text.trim() : text;
  };
}
