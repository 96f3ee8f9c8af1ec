import { errorPrinted, printed } from "../../support/home.ts";

/** One command line, and all that it has to leave on the two streams, as a table and as JSON. */
export interface OperationCase {
  readonly title: string;
  readonly args: readonly string[];
  /** Instead of the stocked database. */
  readonly empty?: true;
  readonly exitCode: number;
  readonly table: { readonly stdout: string; readonly stderr: string };
  readonly json: { readonly stdout: string; readonly stderr: string };
}

interface Shown {
  /** Instead of the stocked database. */
  readonly empty?: true;
  readonly data: unknown;
  readonly message: string;
  /** Stdout as a table. */
  readonly table?: string;
  /** On stderr whatever the format is. */
  readonly warning?: string;
  /** What the page lacks of its list, on stderr whatever the format is. */
  readonly missing?: string;
  /** On stderr with a table; the message where nothing else is given. */
  readonly said?: string;
}

/** The service did it. */
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
  readonly exitCode: number;
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  /** For people; the message where nothing else is given. */
  readonly line?: string;
}

/** The error object of each exit code that a refusal has here. */
const errors: Readonly<Record<number, { readonly kind: string; readonly http_status: number }>> = {
  4: { kind: "not_found", http_status: 404 },
  5: { kind: "conflict", http_status: 409 },
  6: { kind: "invalid", http_status: 422 },
};

/** The service answered, and refused. */
export function refuses(title: string, args: readonly string[], refused: Refused): OperationCase {
  const { exitCode, message, errors: fields, line = message } = refused;
  const { kind, http_status } = errors[exitCode]!;
  const envelope = {
    status: false,
    message,
    data: null,
    ...(fields === undefined ? {} : { errors: fields }),
    error: { kind, http_status, message: line, hint: null },
  };
  const stderr = `sendctl: ${line} (HTTP ${http_status}, ${kind})\n`;
  return {
    title,
    args,
    exitCode,
    table: { stdout: "", stderr },
    json: { stdout: printed(envelope), stderr },
  };
}

/** Fields are at fault. */
export function invalid(
  title: string,
  args: readonly string[],
  errors: Readonly<Record<string, readonly string[]>>,
  faults: string,
): OperationCase {
  const message = "The request is invalid";
  return refuses(title, args, { exitCode: 6, message, errors, line: `${message}: ${faults}` });
}

/** No group has the name. */
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

/** Nothing was sent: the command line makes no sense, or half of it is missing. */
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

/** Data of a list's envelope. */
export function page(data: readonly unknown[], numbers: Partial<Record<string, number>> = {}) {
  return { data, current_page: 1, last_page: 1, per_page: 15, total: data.length, ...numbers };
}
