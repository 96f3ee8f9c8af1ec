import { decimalId, uuidForm } from "./rulings.ts";
import type { GroupKey } from "./store.ts";

/** Ruling 20: the decimal id, or the uuid; undefined for what can be neither. */
export function groupKey(id: string): GroupKey | undefined {
  if (decimalId.test(id)) return { id: Number(id) };
  if (uuidForm.test(id)) return { uuid: id.toLowerCase() };
  return undefined;
}
