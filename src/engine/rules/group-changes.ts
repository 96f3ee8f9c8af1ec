import { ownBehaviour, type Behaviour } from "../../contract/behaviour.ts";
import type { GroupChanges } from "../../contract/service.ts";
import { resetFields, storedMessage } from "./records.ts";
import { decimalId, uuidForm } from "./rulings.ts";
import type { GroupKey, GroupUpdate, SenderIdKey } from "../store/store.ts";

/** Parses the decimal id or the uuid of a group (ruling 20); undefined if the text is neither. */
export function groupKey(
  id: string,
  lookup: Behaviour["group_lookup"] = ownBehaviour.group_lookup,
): GroupKey | undefined {
  if (lookup !== "uuid" && decimalId.test(id)) return { id: Number(id) };
  if (lookup !== "id" && uuidForm.test(id)) return { uuid: id.toLowerCase() };
  return undefined;
}

/** Ruling 14: by default, a sender_id that looks like an id can also be a name, and names take precedence. */
export function senderIdKey(text: string, means: Behaviour["sender_id_means"]): SenderIdKey {
  return {
    name: means === "id" ? undefined : text,
    id: means !== "name" && decimalId.test(text) ? Number(text) : undefined,
    ...(means === "any_text" ? { isOptional: true } : {}),
  };
}

/** Ruling 14: the error of a sender_id that refers to no sender ID. */
export const noSenderId: Readonly<Record<Behaviour["sender_id_means"], string>> = {
  name_or_id: "must be the name or the id of one of your sender IDs",
  name: "must be the name of one of your sender IDs",
  id: "must be the id of one of your sender IDs",
  any_text: "must be a string",
};

/** Removes undefined fields, which a body from this process may have. Most bodies are returned unchanged. */
function defined<Body extends object>(body: Body): Body {
  if (!Object.values(body).includes(undefined)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined),
  ) as Body;
}

/** Returns the function that creates the update of a group from a valid body: rulings 8, 13 and 14. */
export function groupUpdateBy(behaviour: Behaviour): (body: GroupChanges) => GroupUpdate {
  const { omitted_in_update, null_in_update, sender_id_means: means } = behaviour;
  const initial = omitted_in_update === "kept" ? undefined : resetFields(behaviour);
  const ignoresNull = null_in_update === "ignored";
  const stored = storedMessage(behaviour);
  return (body) => {
    const given = defined(body);
    const whole = initial === undefined ? stored(given) : { ...initial, ...stored(given) };
    const { sender_id, ...changed } = ignoresNull ? withoutNulls(whole, given) : whole;
    if (sender_id === undefined) return changed;
    return { ...changed, sender_id: sender_id === null ? null : senderIdKey(sender_id, means) };
  };
}

/** Removes the fields that are null in the given body: they keep their stored values. */
function withoutNulls(changes: GroupChanges, given: GroupChanges): GroupChanges {
  const values: Readonly<Record<string, unknown>> = { ...given };
  return Object.fromEntries(Object.entries(changes).filter(([name]) => values[name] !== null));
}
