import { ownBehaviour, type Behaviour } from "../contract/behaviour.ts";
import { decimalId, uuidForm } from "./rulings.ts";
import type { GroupKey } from "./store.ts";

/** Parses the decimal id or the uuid of a group (ruling 20); undefined if the text is neither. */
export function groupKey(
  id: string,
  lookup: Behaviour["group_lookup"] = ownBehaviour.group_lookup,
): GroupKey | undefined {
  if (lookup !== "uuid" && decimalId.test(id)) return { id: Number(id) };
  if (lookup !== "id" && uuidForm.test(id)) return { uuid: id.toLowerCase() };
  return undefined;
}
