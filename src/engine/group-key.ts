import { decimalId, uuidForm } from "./rulings.ts";
import type { GroupKey } from "./store.ts";

/** Parses the decimal id or the uuid of a group (ruling 20); undefined if the text is neither. */
export function groupKey(id: string): GroupKey | undefined {
  if (decimalId.test(id)) return { id: Number(id) };
  if (uuidForm.test(id)) return { uuid: id.toLowerCase() };
  return undefined;
}
