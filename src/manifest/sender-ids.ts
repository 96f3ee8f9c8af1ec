import type { Location } from "../core/error.ts";
import { manifestFields, type DesiredSenderId } from "./manifest.ts";
import { emptyValue, readText, refuseDuplicate, valueText, type Walk } from "./nodes.ts";
import { isReported, readFields, type Found } from "../core/yaml/nodes.ts";

/** Names of the sender IDs in all files, which must be unique, with their first locations. */
export type SenderIdsSeen = Map<string, Location>;

/** Reads one item of `sender_ids`. Reports problems, and returns undefined if there are any. */
export function readSenderId(
  walk: Walk,
  item: Found,
  seen: SenderIdsSeen,
): DesiredSenderId | undefined {
  const found = readFields(walk, item, "a sender ID", manifestFields.senderId);
  if (found === undefined) return undefined;
  for (const field of manifestFields.senderId) {
    if (!found.has(field)) walk.report(item.offset, `missing required field ${field}`);
  }
  const name = readSenderIdName(walk, found.get("name"), "name");
  const purposeFound = found.get("purpose");
  const purpose =
    purposeFound === undefined || isReported(purposeFound)
      ? undefined
      : readText(walk, purposeFound, "purpose")?.text;
  if (name !== undefined) {
    refuseDuplicate(walk, seen, name, found.get("name")!.offset, "sender ID name");
  }
  if (name === undefined || purpose === undefined) return undefined;
  return { name, purpose, location: walk.locationOf(item.offset) };
}

/** Reads the name of a sender ID. Reports an invalid name and returns undefined. */
export function readSenderIdName(
  walk: Walk,
  found: Found | undefined,
  field: string,
): string | undefined {
  if (found === undefined || isReported(found)) return undefined;
  const expanded = readText(walk, found, field);
  if (expanded === undefined) return undefined;
  const { text } = expanded;
  if (isPathSafeName(text)) return text;
  const message =
    text === ""
      ? emptyValue(field, expanded)
      : `${valueText(expanded)} cannot be the name of a sender ID: a URL path cannot contain it`;
  walk.report(found.offset, message);
  return undefined;
}

/** Returns whether a URL path can contain a name. */
export function isPathSafeName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && name.isWellFormed();
}
