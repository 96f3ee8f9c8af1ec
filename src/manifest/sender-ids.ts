import { manifestFields, type DesiredSenderId, type Location } from "./manifest.ts";
import {
  isReported,
  named,
  locationText,
  readFields,
  readText,
  type Found,
  type Walk,
} from "./nodes.ts";

/** What the sender IDs of all files must not have in common. */
export type SenderIdsSeen = Map<string, Location>;

/** Reads one item of `sender_ids`; undefined where anything is wrong with it, which is reported. */
export function readSenderId(
  walk: Walk,
  item: Found,
  seen: SenderIdsSeen,
): DesiredSenderId | undefined {
  const found = readFields(walk, item, "a sender ID", manifestFields.senderId);
  if (found === undefined) return undefined;
  for (const member of manifestFields.senderId) {
    if (!found.has(member)) walk.report(item.offset, `the sender ID has no ${member}: give it one`);
  }
  const name = readSenderIdName(walk, found.get("name"), "name");
  const purposeFound = found.get("purpose");
  const purpose =
    purposeFound === undefined || isReported(purposeFound)
      ? undefined
      : readText(walk, purposeFound, "purpose")?.text;
  if (name !== undefined) {
    const location = walk.locationOf(found.get("name")!.offset);
    const first = seen.get(name);
    if (first === undefined) seen.set(name, location);
    else {
      const message = `another sender ID has this name: first at ${locationText(first)}`;
      walk.report(found.get("name")!.offset, message);
    }
  }
  if (name === undefined || purpose === undefined) return undefined;
  return { name, purpose, location: walk.locationOf(item.offset) };
}

/** Reads a name that goes into a path; undefined, and reported, where it is none that can. */
export function readSenderIdName(
  walk: Walk,
  found: Found | undefined,
  member: string,
): string | undefined {
  if (found === undefined || isReported(found)) return undefined;
  const expanded = readText(walk, found, member);
  if (expanded === undefined) return undefined;
  const { text } = expanded;
  if (isPathSafeName(text)) return text;
  const what = text === "" ? "is empty" : "is a name that no URL can carry";
  walk.report(found.offset, `${member} must name a sender ID, and ${named(expanded)} ${what}`);
  return undefined;
}

/** Returns whether a path can carry a name. */
export function isPathSafeName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && name.isWellFormed();
}
