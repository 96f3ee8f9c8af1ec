import type { Fields } from "../outcome.ts";

/** The form of the names of scratch groups. White space around it and padding belong to experiments. */
const form = /^\s*(sendctl-probe-[0-9a-f]{12}-\d{2,3})(?:-x+)?\s*$/i;

/**
 * Returns the name of the scratch group that a record is, without padding; undefined if it is none. A group without
 * a name has it in its birthday message, which the experiment with a missing name sets.
 */
export function scratchNameOf({ name, birthday_message: message }: Fields): string | undefined {
  const text = name === null || name === undefined || name === "" ? message : name;
  return typeof text === "string" ? form.exec(text)?.[1]?.toLowerCase() : undefined;
}
