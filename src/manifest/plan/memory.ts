import { isObject } from "../../contract/service.ts";
import { jsonText, readJson } from "../../core/json-text.ts";

/**
 * What the next apply to a target has to know, and no response shows: the groups that may lack their sender ID, each as
 * `keyOfId` or, until its id is known, `keyOfName` names it. See docs/decisions/0016.
 */
export type Memory = readonly string[];

/** @param id decimal */
export function keyOfId(id: string): string {
  return `id ${id}`;
}

export function keyOfName(name: string): string {
  return `name ${name}`;
}

/** Parses a state file. Invalid content is ignored: applies are correct without it. */
export function parseMemory(text = ""): Memory {
  const value = readJson(text);
  const pending = isObject(value) && value["version"] === 1 ? value["pending"] : [];
  return Array.isArray(pending) ? pending.filter((key) => typeof key === "string") : [];
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
  const pending = memory.filter((key) => !isSecret(jsonText(key)));
  return pending.length === 0 ? undefined : `${jsonText({ version: 1, pending })}\n`;
}
