import { anyError } from "./step.ts";

const time = /"created_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"/g;
const identity =
  /"id":(\d+),"uuid":"([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"/g;

/** The uuids that one way has given so far: no test can know them, but each has to stay its group's. */
export interface Uuids {
  /** The uuid for `uuid:N`; any other text as it is. */
  readonly resolve: (text: string) => string;
  /** The text with `uuid:N` for each uuid, in any member, in lower case. */
  readonly hide: (text: string) => string;
}

export function createUuids(): Uuids {
  /** By group id. */
  const known = new Map<string, string>();
  return {
    resolve: (text) => (text.startsWith("uuid:") ? known.get(text.slice(5)) : undefined) ?? text,
    hide: (text) => {
      for (const [, id, uuid] of text.matchAll(identity)) {
        // The first one seen is the group's; another one later stays in the text, and is noticed.
        if (!known.has(id!)) known.set(id!, uuid!);
      }
      let hidden = text;
      for (const [id, uuid] of known) hidden = hidden.replaceAll(uuid, `uuid:${id}`);
      return hidden;
    },
  };
}

/**
 * A reply's text as a step expects it. Quotes inside a string are escaped in JSON, so nothing that a user
 * wrote is taken for a member.
 */
export function normalised(text: string): string {
  const timed = text.replace(time, '"created_at":"a time"');
  const envelope = JSON.parse(timed) as { errors?: Record<string, unknown> };
  if (envelope.errors === undefined) return timed;
  const errors = Object.entries(envelope.errors).map(([field, faults]) => [field, told(faults)]);
  return JSON.stringify({ ...envelope, errors: Object.fromEntries(errors) });
}

/** Ruling 2: texts, at least one; anything else is left, and is noticed. */
function told(faults: unknown): unknown {
  const areTexts =
    Array.isArray(faults) &&
    faults.length > 0 &&
    faults.every((fault) => typeof fault === "string" && fault !== "");
  return areTexts ? [anyError] : faults;
}
