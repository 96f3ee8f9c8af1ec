import { errorPrinted, printed } from "../../support/home.ts";

/** A command line and its expected output on both streams, as a table and as JSON. */
export interface OperationCase {
  readonly title: string;
  readonly args: readonly string[];
  /** Starts without a database instead of with the stocked one. */
  readonly empty?: true;
  readonly exitCode: number;
  readonly table: { readonly stdout: string; readonly stderr: string };
  readonly json: { readonly stdout: string; readonly stderr: string };
}

interface Shown {
  /** Starts without a database instead of with the stocked one. */
  readonly empty?: true;
  readonly data: unknown;
  readonly message: string;
  /** Standard output with a table. */
  readonly table?: string;
  /** A warning on stderr in every format. */
  readonly warning?: string;
  /** The line about records that are not on the page, on stderr in every format. */
  readonly missing?: string;
  /** The line on stderr with a table (default: the message). */
  readonly said?: string;
}

/** Returns a case in which the service succeeds. */
export function shows(title: string, args: readonly string[], shown: Shown): OperationCase {
  const { data, message, table = "", warning, missing, said = message } = shown;
  const warned = warning === undefined ? "" : `Warning: ${warning}\n`;
  const rest = missing === undefined ? "" : `${missing}\n`;
  return {
    title,
    args,
    ...(shown.empty ? { empty: true } : {}),
    exitCode: 0,
    table: { stdout: table, stderr: `${warned}${said === "" ? "" : `${said}\n`}${rest}` },
    json: { stdout: printed({ status: true, message, data }), stderr: `${warned}${rest}` },
  };
}

interface Refused {
  readonly hint?: string;
  readonly exitCode: number;
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** The error on stderr (default: the message). */
  readonly line?: string;
}

/** The error object for each exit code of a refusal. */
const errors: Readonly<Record<number, { readonly kind: string; readonly http_status: number }>> = {
  4: { kind: "not_found", http_status: 404 },
  5: { kind: "conflict", http_status: 409 },
  6: { kind: "invalid", http_status: 422 },
};

/** Returns a case in which the service rejects the request. */
export function refuses(title: string, args: readonly string[], refused: Refused): OperationCase {
  const { exitCode, message, errors: fields, line = message, hint = null } = refused;
  const { kind, http_status } = errors[exitCode]!;
  const envelope = {
    status: false,
    message,
    data: null,
    ...(fields === undefined ? {} : { errors: fields }),
    error: { kind, http_status, message: line, hint },
  };
  const advice = hint === null ? "" : `hint: ${hint}\n`;
  const stderr = `sendctl: ${line} (HTTP ${http_status}, ${kind})\n${advice}`;
  return {
    title,
    args,
    exitCode,
    table: { stdout: "", stderr },
    json: { stdout: printed(envelope), stderr },
  };
}

/** Returns a case in which the service reports invalid fields. */
export function invalid(
  title: string,
  args: readonly string[],
  errors: Readonly<Record<string, readonly string[]>>,
  fieldErrors: string,
): OperationCase {
  const message = "The request is invalid";
  return refuses(title, args, { exitCode: 6, message, errors, line: `${message}: ${fieldErrors}` });
}

/** Returns a case in which no group has the name. */
export function lacks(title: string, args: readonly string[], name: string): OperationCase {
  const { stderr, json } = errorPrinted(
    "not_found",
    `no group is named "${name}"`,
    "sendctl group list --all",
  );
  return {
    title,
    args,
    exitCode: 4,
    table: { stdout: "", stderr },
    json: { stdout: json, stderr },
  };
}

/** Returns a case with an invalid or incomplete command line, for which nothing is sent. */
export function misused(
  title: string,
  args: readonly string[],
  message: string,
  hint?: string,
): OperationCase {
  const { stderr, json } = errorPrinted("usage", message, hint);
  return {
    title,
    args,
    exitCode: 2,
    table: { stdout: "", stderr },
    json: { stdout: json, stderr },
  };
}

/** Returns the `data` of a list. */
export function page(data: readonly unknown[], numbers: Partial<Record<string, number>> = {}) {
  return { data, current_page: 1, last_page: 1, per_page: 15, total: data.length, ...numbers };
}
