import { errorPrinted, printed } from "../../support/home.ts";

/** A command line and its expected output on both streams, as a table and as JSON. */
export interface OperationCase {
  readonly args: readonly string[];
  /** Starts without a database instead of with the stocked one. */
  readonly empty: boolean;
  readonly exitCode: number;
  readonly table: { readonly stdout: string; readonly stderr: string };
  readonly json: { readonly stdout: string; readonly stderr: string };
}

interface Shown {
  readonly empty?: true;
  /** Standard output with a table (default: none). */
  readonly table?: string;
  /** A warning on stderr in every format. */
  readonly warning?: string;
  /** The line about records that are not on the page, on stderr in every format. */
  readonly missing?: string;
  /** The line on stderr with a table (default: the message). */
  readonly said?: string;
}

/** Returns the words of a command line, which are separated by one space; words in single quotes may contain spaces. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?<!\S)(?:'([^']*)'|(\S+))(?!\S)/g)].map(
    ([, quoted, word]) => quoted ?? word!,
  );
}

/** Returns a case in which the service succeeds. */
export function shows(
  line: string,
  message: string,
  data: unknown,
  shown: Shown = {},
): OperationCase {
  const { table = "", warning, missing, said = message, empty = false } = shown;
  const warned = warning === undefined ? "" : `Warning: ${warning}\n`;
  const rest = missing === undefined ? "" : `${missing}\n`;
  return {
    args: wordsOf(line),
    empty,
    exitCode: 0,
    table: { stdout: table, stderr: `${warned}${said === "" ? "" : `${said}\n`}${rest}` },
    json: { stdout: printed({ status: true, message, data }), stderr: `${warned}${rest}` },
  };
}

interface Refused {
  readonly hint?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** The error on stderr (default: the message). */
  readonly said?: string;
}

const exitCodes = { 404: [4, "not_found"], 409: [5, "conflict"], 422: [6, "invalid"] } as const;

/** Returns a case in which the service rejects the request. */
export function refuses(
  line: string,
  http_status: 404 | 409 | 422,
  message: string,
  { errors, said = message, hint }: Refused = {},
): OperationCase {
  const [exitCode, kind] = exitCodes[http_status];
  const error = { kind, http_status, message: said, hint: hint ?? null };
  const fields = errors === undefined ? {} : { errors };
  const advice = hint === undefined ? "" : `hint: ${hint}\n`;
  const stderr = `sendctl: ${said} (${kind})\n${advice}`;
  const stdout = printed({ status: false, message, data: null, ...fields, error });
  return failing(line, exitCode, stderr, stdout);
}

function failing(line: string, exitCode: number, stderr: string, json: string): OperationCase {
  const table = { stdout: "", stderr };
  return { args: wordsOf(line), empty: false, exitCode, table, json: { stdout: json, stderr } };
}

/** Returns a case in which the service reports invalid fields, one error each. */
export function invalid(line: string, fields: Readonly<Record<string, string>>): OperationCase {
  const message = "The request is invalid";
  const found = Object.entries(fields);
  return refuses(line, 422, message, {
    errors: Object.fromEntries(found.map(([field, error]) => [field, [error]])),
    said: `${message}: ${found.map((field) => field.join(" ")).join("; ")}`,
  });
}

/** Returns a case in which no group has the name. */
export function lacks(
  line: string,
  name: string,
  hint = "sendctl group list --all",
): OperationCase {
  const message = `no group is named "${name}"`;
  const { stderr, json } = errorPrinted("not_found", message, hint);
  return failing(line, 4, stderr, json);
}

/** Returns a case with an invalid or incomplete command line, for which nothing is sent. */
export function misused(line: string, message: string, hint?: string): OperationCase {
  const { stderr, json } = errorPrinted("usage", message, hint);
  return failing(line, 2, stderr, json);
}

/** Returns a case with an argument that cannot be part of a URL. */
export function unusable(line: string, argument: string, value: string): OperationCase {
  const hint = "it is part of a URL, so it cannot be empty, . or ..";
  return misused(line, `invalid ${argument} "${value}"`, hint);
}

/** Returns the `data` of a list. */
export function page(data: readonly unknown[], numbers: Partial<Record<string, number>> = {}) {
  return { data, current_page: 1, last_page: 1, per_page: 15, total: data.length, ...numbers };
}

/** Returns a text as tables show it: one line, with its escapes. */
export function onOneLine(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

export const perPageBounds = "must be a whole number from 1 to 1000";
export const nameLength = "must have 1 to 255 characters";
export const quotesHint = "quote text that contains spaces";
