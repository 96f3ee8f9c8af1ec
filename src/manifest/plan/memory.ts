import { isObject } from "../../contract/service.ts";
import { jsonText } from "../../core/json-text.ts";

/** A group that may lack its sender ID, which responses do not show. */
export interface PendingSenderId {
  readonly name: string;
  /** Decimal; undefined until the group is created. */
  readonly id?: string;
}

/** What the next apply to a target has to know, and no response shows: docs/decisions/0016. */
export interface Memory {
  readonly pending: readonly PendingSenderId[];
}

export const emptyMemory: Memory = { pending: [] };

/** Parses a state file. Invalid content is ignored: applies are correct without it. */
export function parseMemory(text: string | undefined): Memory {
  if (text === undefined) return emptyMemory;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || value["version"] !== 1 || !Array.isArray(value["pending"]))
      return emptyMemory;
    const pending = value["pending"].filter(isObject);
    const named = pending.filter(({ name }) => typeof name === "string");
    return { pending: named as unknown as readonly PendingSenderId[] };
  } catch {
    return emptyMemory;
  }
}

/**
 * Returns the content of a state file; undefined if there is nothing to store.
 *
 * @param isSecret returns whether a text contains the key: what has it is not stored
 */
export function memoryText(
  memory: Memory,
  isSecret: (text: string) => boolean,
): string | undefined {
  const pending = memory.pending.filter((group) => !isSecret(jsonText(group)));
  return pending.length === 0 ? undefined : `${jsonText({ version: 1, pending })}\n`;
}

/** Returns whether a group may lack its sender ID. @param id decimal */
export function isPending({ pending }: Memory, id: string, name: string): boolean {
  return pending.some(
    (group) => (group.id ?? id) === id && (group.id !== undefined || group.name === name),
  );
}
