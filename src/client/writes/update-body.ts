import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import type { ShownRecord } from "../../contract/service.ts";

/** Fields that an update can set and every response shows. */
const visible = namesOf(groupFields, ({ update, shown }) => update !== undefined && !shown);

/** Returns whether an update needs only the fields that change (rulings 4 and 13), so that no group must be read. */
export function sendsOnlyChanges(behaviour: PartialBehaviour, changes?: object): boolean {
  const { omitted_in_update, group_update_requires: required = "nothing" } = behaviour;
  if (omitted_in_update !== "kept") return false;
  const hasName = changes !== undefined && "name" in changes;
  return required === "nothing" || (required === "name" && hasName);
}

/**
 * Returns the body of an update: the changes, and the fields that must be sent unchanged. Unchanged null fields are
 * omitted, because a service may refuse null, unless it is known to need every field.
 */
export function updateBody(
  record: ShownRecord,
  changes: ShownRecord,
  { omitted_in_update, group_update_requires: required }: PartialBehaviour,
): ShownRecord {
  const needsName = omitted_in_update === "kept" && required === "name";
  const sent = needsName
    ? (["name"] as const)
    : visible.filter((name) => required === "every_field" || (record[name] ?? null) !== null);
  return { ...Object.fromEntries(sent.map((name) => [name, record[name] ?? null])), ...changes };
}

/** Returns the fields that the record must show after the update. */
export function wantedFields(record: ShownRecord, changes: ShownRecord): ShownRecord {
  const wanted = visible.map((name) => [name, (name in changes ? changes : record)[name] ?? null]);
  return Object.fromEntries(wanted) as ShownRecord;
}

/** Returns the changes that the record must show after the update. */
export function wantedChanges(changes: ShownRecord): ShownRecord {
  const wanted = visible.filter((name) => name in changes).map((name) => [name, changes[name]]);
  return Object.fromEntries(wanted) as ShownRecord;
}
