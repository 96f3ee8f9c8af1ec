import { shellWord } from "../../core/text.ts";

/** The methods that `sendctl api` sends. */
export const knownMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Returns whether a word is one of the methods, in any case. */
export function isMethod(word: string): boolean {
  return knownMethods.split(", ").includes(word.toUpperCase());
}

/** Matches an option of curl, gh or our own, and the value that is attached to it. Headers are left out of hints. */
const requestOption =
  /^(?:(?<method>-X|--method|--request)|(?<body>-d|--data(?:-raw|-binary)?|--body)|(?<field>-[fF]|--(?:raw-)?field)|(?<file>--body-file|--input)|-H|--header)(?<value>$|=.*|(?<=^-.).+)/s;

/** Returns whether an option is one of another tool that `requestHint` translates. */
export function isRequestOption(flag: string): boolean {
  return requestOption.test(flag);
}

/**
 * Returns the command line for a request that was written like one of curl or gh, without its method, or without `/v1`.
 *
 * @param words the command line after `sendctl api`
 */
export function requestHint(words: readonly string[]): string {
  const given: { method?: string; body?: string; file?: string } = {};
  const fields: Record<string, unknown> = {};
  const operands: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const option = requestOption.exec(words[index]!)?.groups;
    const value = option?.["value"]?.replace(/^=/, "") || (option && words[(index += 1)]) || "";
    if (option === undefined) operands.push(words[index]!);
    else if (option["method"]) given.method = value;
    else if (option["body"]) given.body = value;
    else if (option["file"]) given.file = value;
    else if (option["field"]) fields[value.replace(/=.*/s, "")] = fieldValue(value);
  }
  const hasFields = Object.keys(fields).length > 0;
  const { file, body = hasFields ? JSON.stringify(fields) : undefined } = given;
  const path = operands.find((word) => !isMethod(word) && !word.startsWith("-")) ?? "/v1/group";
  const usual = (body ?? file) === undefined ? "GET" : "POST";
  const method = given.method ?? operands.find(isMethod) ?? usual;
  const line = `sendctl api ${method.toUpperCase()} ${shellWord(servicePath(path))}`;
  if (body !== undefined) return `${line} --body ${shellWord(body)}`;
  return file === undefined ? line : `${line} --body-file ${shellWord(file)}`;
}

/** Returns the value in `name=value`: a boolean, null or a number as such, as gh reads it. */
function fieldValue(field: string): unknown {
  const text = field.replace(/^[^=]*=?/, "");
  return /^(?:true|false|null|[1-9]\d{0,14})$/.test(text) ? JSON.parse(text) : text;
}

/** Returns a path of the service for a URL, or a path without `/v1`. */
export function servicePath(given: string): string {
  const path = given.replace(/^https?:\/\/[^/]*/, "").replace(/^\/*/, "/");
  return /^\/v1(?:\/|$)/.test(path) ? path : `/v1${path}`;
}
