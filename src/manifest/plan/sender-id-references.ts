import { decimalId, type DesiredGroup, type DesiredSenderId } from "../manifest.ts";
import type { Existing } from "./group-changes.ts";
import type { Problem } from "./match-records.ts";
import { nameOf, purposeOf } from "./record-keys.ts";

/** Collects the existing sender IDs that the groups of a manifest name, by name or id. */
export function senderIdReferences(
  groups: readonly DesiredGroup[],
  senderIds: readonly DesiredSenderId[],
) {
  const wanted = new Map(senderIds.map((senderId) => [senderId.name, senderId]));
  const named = new Set(groups.flatMap(({ sender_id }) => sender_id ?? []));
  const existing = new Set<string>();
  const byId = new Map<string, Existing>();

  const messageFor = (sender: string, isPruned: boolean, isReplaced: boolean) => {
    if (wanted.has(sender) || (existing.has(sender) && !isPruned)) return undefined;
    const isId = decimalId.test(sender) && !existing.has(sender);
    const record = isId ? byId.get(sender) : undefined;
    const desired = record === undefined ? undefined : wanted.get(nameOf(record));
    if (record !== undefined && (desired !== undefined || !isPruned)) {
      const isGone = isReplaced && desired !== undefined && desired.purpose !== purposeOf(record);
      return isGone
        ? `sender_id "${sender}" is the id of a sender ID that --replace would replace; use its name`
        : undefined;
    }
    return existing.has(sender) || record !== undefined
      ? `--prune would delete the sender ID "${sender}"; add it to sender_ids`
      : `unknown sender ID "${sender}"; add it to sender_ids, or use an existing name${isId ? " or id" : ""}`;
  };

  return {
    areNeeded: named.size > 0,
    take: (record: Existing): void => {
      const [name, id] = [nameOf(record), String(record["id"])];
      if (named.has(name)) existing.add(name);
      if (named.has(id)) byId.set(id, record);
    },
    /** Rejects a sender_id unless it is in the manifest, or exists and is not deleted. */
    problems: (isPruned: boolean, isReplaced: boolean): readonly Problem[] =>
      groups.flatMap(({ sender_id, senderIdLocation, location }) => {
        if (typeof sender_id !== "string") return [];
        const message = messageFor(sender_id, isPruned, isReplaced);
        if (message === undefined) return [];
        return [{ isConflict: false, diagnostic: { ...(senderIdLocation ?? location), message } }];
      }),
  };
}
