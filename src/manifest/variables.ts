/** Values from the environment: `${NAME}` in a text of a manifest, and `$${` for a literal `${`. */

import { refusalOf, type VariableRules } from "./allowed-variables.ts";

export const variableName = "[A-Za-z_][A-Za-z0-9_]*";

const reference = new RegExp(`\\$\\$\\{|\\$\\{(${variableName})\\}|\\$\\{`, "g");
const alone = new RegExp(`^\\$\\{(${variableName})\\}$`);

export interface Expanded {
  readonly text: string;
  /** The variables that are in it. */
  readonly names: readonly string[];
}

/**
 * @param rules the variables, and which of them may be read
 * @param most how much longer the text may become; one that becomes longer is left unfinished
 * @returns the text with every variable replaced, or what is wrong: all of it, in order
 */
export function expand(
  text: string,
  rules: VariableRules,
  most: number,
): Expanded | { readonly messages: readonly string[] } {
  if (!text.includes("${")) return { text, names: [] };
  const { env } = rules;
  const names: string[] = [];
  const messages = new Set<string>();
  const parts: string[] = [];
  let from = 0;
  let added = 0;
  for (const { 0: found, 1: name, index } of text.matchAll(reference)) {
    parts.push(text.slice(from, index));
    from = index + found.length;
    if (found === "$${") parts.push("${");
    else if (name === undefined) {
      messages.add("${ begins a variable, like ${NAME}: write $${ where it is meant literally");
    } else {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      const refusal = refusalOf(name, rules);
      if (refusal !== undefined) messages.add(refusal);
      else if (value === undefined) messages.add(`\${${name}} is not set in the environment`);
      else {
        if (!names.includes(name)) names.push(name);
        parts.push(value);
        added += value.length;
        if (added > text.length + most) break;
      }
    }
  }
  parts.push(text.slice(from));
  return messages.size > 0 ? { messages: [...messages] } : { text: parts.join(""), names };
}

/** Whether a text is one variable and nothing else: it can stand for what is no text. */
export function isVariable(text: string): boolean {
  return alone.test(text);
}

/** A text that `expand` makes the given one of. */
export function literal(text: string): string {
  return text.replaceAll("${", () => "$${");
}
