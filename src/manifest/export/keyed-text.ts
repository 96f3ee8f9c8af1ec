import { groupKeys, type GroupKeys } from "./group-keys.ts";
import type { Batch, Identity } from "./taken-groups.ts";
import type { GroupSection } from "../write.ts";

/**
 * Returns the text of a batch in which each group has the key that makes it unique, without the groups that have none.
 * Groups are stored with their uuid, which most groups with a common name need, so that successive ones are copied
 * together.
 *
 * @param last index of the first group of the batch, which was taken last
 */
export function keyedText(
  { count, text: read, lengths, identities }: Batch,
  last: number,
  keys: GroupKeys,
  { next, between, field, string }: GroupSection,
): string {
  const uuidStart = field("uuid");
  const text = read();
  const areAllStored = keys
    .subarray(last + 1 - count, last + 1)
    .every((key) => key === groupKeys.uuid);
  if (areAllStored) return text;
  let some: readonly Identity[] | undefined;
  let shown = "";
  /** Where the text that was not copied yet begins. */
  let from = 0;
  let start = 0;
  for (const [position, length] of lengths().entries()) {
    const key = keys[last - position]!;
    const first = start + next.length;
    const hasUuid = key !== groupKeys.uuid && text.startsWith(uuidStart, first);
    const rest = hasUuid ? text.indexOf(between, first) + between.length : first;
    if (key === groupKeys.name && hasUuid) {
      shown += text.slice(from, first);
      from = rest;
    } else if (key === groupKeys.id) {
      some ??= identities();
      const { id } = some[position]!;
      shown += [text.slice(from, first), field("id"), string(id), between].join("");
      from = rest;
    } else if (key === groupKeys.none) {
      shown += text.slice(from, start);
      from = start + length;
    }
    start += length;
  }
  return shown + text.slice(from);
}
