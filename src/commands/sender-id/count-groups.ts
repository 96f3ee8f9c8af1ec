import type { Capabilities } from "../../command/capabilities.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { textOf } from "../../output/views.ts";
import { eachRecord } from "../../service/read-list.ts";

/** Returns how many groups use a sender ID; undefined if the service does not show that. */
export async function countGroups(
  { target, ask }: Pick<Capabilities, "target" | "ask">,
  { id, name }: ShownRecord,
): Promise<number | undefined> {
  const known = await target.groupsOf(String(name));
  if (known !== undefined) return known.length;
  const { newestRecords } = await import("../../command/records/nearest.ts");
  const list = ask.list("group.list");
  const newest = await newestRecords(list).catch(() => []);
  if (newest.every(({ sender_id: shown }) => shown === undefined)) return undefined;
  let count = 0;
  const refused = await eachRecord(list, ({ sender_id: used }) => {
    const isById = id !== undefined && textOf(used) === textOf(id);
    if (used === name || isById) count += 1;
  }).catch(() => "failed");
  return refused === undefined ? count : undefined;
}
