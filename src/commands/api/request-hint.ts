import { shellWord } from "../../core/text.ts";

/** Methods that `sendctl api` sends. */
export const methods: readonly string[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
];

/** Returns whether a word is one of the methods, in any case. */
export function isMethod(word: string): boolean {
  return methods.includes(word.toUpperCase());
}

/** The options of curl and gh that take a value, by what it is. */
const foreign: Readonly<Record<string, "method" | "body" | "field" | "file" | "header">> = {
  "-X": "method",
  "--method": "method",
  "--request": "method",
  "--body": "body",
  "-d": "body",
  "--data": "body",
  "--data-raw": "body",
  "--data-binary": "body",
  "-f": "field",
  "-F": "field",
  "--field": "field",
  "--raw-field": "field",
  "--body-file": "file",
  "--input": "file",
  "-H": "header",
  "--header": "header",
};

/** Returns whether an option is one of another tool that `requestHint` translates. */
export function isRequestOption(flag: string): boolean {
  return Object.hasOwn(foreign, flag);
}

/**
 * Returns the command line for a request that was written like one of curl or gh, without its method, or without `/v1`.
 * Headers are left out, because sendctl sends its own.
 *
 * @param words the command line after `sendctl api`
 */
export function requestHint(words: readonly string[]): string {
  const values: Partial<Record<(typeof foreign)[string], string>> = {};
  const fields: Record<string, unknown> = {};
  const operands: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const [flag, attached] = optionIn(words[index]!);
    const kind = isRequestOption(flag) ? foreign[flag] : undefined;
    if (kind === undefined) operands.push(words[index]!);
    else {
      const value = attached ?? words[(index += 1)] ?? "";
      if (kind === "field") Object.assign(fields, fieldOf(value, flag));
      else values[kind] = value;
    }
  }
  const path = operands.find((word) => !isMethod(word) && !word.startsWith("-")) ?? "/v1/group";
  const hasFields = Object.keys(fields).length > 0;
  const body = values.body ?? (hasFields ? JSON.stringify(fields) : undefined);
  const isWrite = (body ?? values.file) !== undefined;
  const method = values.method ?? operands.find(isMethod) ?? (isWrite ? "POST" : "GET");
  return [
    `sendctl api ${method.toUpperCase()} ${shellWord(servicePath(path))}`,
    ...(body === undefined ? [] : [`--body ${shellWord(body)}`]),
    ...(values.file === undefined ? [] : [`--body-file ${shellWord(values.file)}`]),
  ].join(" ");
}

/** Returns an option and the value that is attached to it: `--method=PUT`, `-XPUT`. */
function optionIn(word: string): readonly [flag: string, attached?: string] {
  const [, long, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
  if (long !== undefined) return [long, value!];
  return /^-[A-Za-z]./s.test(word) ? [word.slice(0, 2), word.slice(2)] : [word];
}

/** Returns the field in `name=value`. `-F` and `--field` of gh read a value as JSON, if it is. */
function fieldOf(text: string, flag: string): object {
  const at = text.indexOf("=");
  const [name, value] = at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
  const isTyped = (flag === "-F" || flag === "--field") && /^(?:true|false|null|\d+)$/.test(value);
  return { [name]: isTyped ? JSON.parse(value) : value };
}

/** Returns a path of the service for a URL, or a path without `/v1`. */
export function servicePath(given: string): string {
  const path = given.replace(/^https?:\/\/[^/]*/, "").replace(/^\/*/, "/");
  return /^\/v1(?:\/|$)/.test(path) ? path : `/v1${path}`;
}
