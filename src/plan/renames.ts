import type { DesiredGroup } from "../manifest/manifest.ts";
import { changesOf, type Existing } from "./group-changes.ts";
import type { Step } from "./plan.ts";

/** A deleted group and a created one that may be the same group under a new name. */
export interface Rename {
  readonly existing: Existing;
  readonly desired: DesiredGroup;
}

/** Maximum number of pairs to compare. A larger plan renames more than a few groups. */
const maxPairs = 10_000;

/**
 * Returns deleted and created groups that look like renamed ones: the only pair of a plan, and pairs whose settings are
 * equal to those of no other candidate. Deleting a group deletes its contacts, which an update of its name would keep.
 */
export function likelyRenames(steps: readonly Step[]): readonly Rename[] {
  const deleted: Existing[] = [];
  const created: DesiredGroup[] = [];
  for (const step of steps) {
    if (step.kind !== "group") continue;
    if (step.action === "delete") deleted.push(step.existing);
    if (step.action === "create") created.push(step.desired);
  }
  if (deleted.length * created.length > maxPairs) return [];
  if (deleted.length === 1 && created.length === 1) {
    return [{ existing: deleted[0]!, desired: created[0]! }];
  }
  return created.flatMap((desired) => {
    const [existing, ...others] = deleted.filter((record) => areEqual(desired, record));
    if (existing === undefined || others.length > 0) return [];
    const isOnly = created.every((one) => one === desired || !areEqual(one, existing));
    return isOnly ? [{ existing, desired }] : [];
  });
}

/** Returns whether a group has the settings of the manifest under another name. */
function areEqual(desired: DesiredGroup, record: Existing): boolean {
  return changesOf(desired, record).every(({ member }) => member === "name");
}
