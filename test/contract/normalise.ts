import { anyError } from "./step.ts";

const time = /"created_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"/g;
const identity =
  /"id":(\d+),"uuid":"([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"/g;

/** The uuids that one transport has returned. Tests cannot predict them, but each group must keep its own. */
export interface Uuids {
  /** Returns the uuid for `uuid:N`, and any other text unchanged. */
  readonly resolve: (text: string) => string;
  /** Replaces each known lower-case uuid by `uuid:N`, in any field. */
  readonly hide: (text: string) => string;
}

export function createUuids(): Uuids {
  /** By group id. */
  const known = new Map<string, string>();
  return {
    resolve: (text) => (text.startsWith("uuid:") ? known.get(text.slice(5)) : undefined) ?? text,
    hide: (text) => {
      for (const [, id, uuid] of text.matchAll(identity)) {
        // The first uuid is the group's. A different one later stays in the text and fails the test.
        if (!known.has(id!)) known.set(id!, uuid!);
      }
      let hidden = text;
      for (const [id, uuid] of known) hidden = hidden.replaceAll(uuid, `uuid:${id}`);
      return hidden;
    },
  };
}

/**
 * Normalises the text of a reply for comparison with a step. JSON escapes quotes in strings, so user text is never
 * mistaken for a field.
 */
export function normalised(text: string): string {
  const timed = text.replace(time, '"created_at":"a time"');
  const envelope = JSON.parse(timed) as { errors?: Record<string, unknown> };
  if (envelope.errors === undefined) return timed;
  const errors = Object.entries(envelope.errors).map(([field, texts]) => [field, hidden(texts)]);
  return JSON.stringify({ ...envelope, errors: Object.fromEntries(errors) });
}

/** Replaces a valid error list (ruling 2: at least one text). Anything else stays and fails the test. */
function hidden(errors: unknown): unknown {
  const areTexts =
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((error) => typeof error === "string" && error !== "");
  return areTexts ? [anyError] : errors;
}
