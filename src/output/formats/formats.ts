import { SendctlError } from "../../contract/error.ts";
import type { Format } from "./format.ts";

interface FormatEntry {
  /** What help says about it. */
  readonly meaning: string;
  /** Whether failures are printed to standard output, too, as envelopes. */
  readonly printsFailures?: true;
  readonly load: () => Promise<Format>;
}

/** Every output format: the choices of `--output`, its help and its completion come from here. */
export const formats = {
  table: {
    meaning:
      "what a person reads. At a terminal it has borders and colours, fits the width and shows local time; elsewhere it is plain, aligned and complete",
    load: async () => (await import("./table.ts")).tableFormat,
  },
  json: {
    meaning:
      "the envelope as the service sent it, every number to its last digit, indented by two spaces. A failure prints an envelope, too, with `error`: its kind, HTTP status, message and hint",
    printsFailures: true,
    load: async () => (await import("./json.ts")).jsonFormat,
  },
  jsonl: {
    meaning: "one record a line, as it comes: a million of them take no more memory than one",
    load: async () => (await import("./jsonl.ts")).jsonlFormat,
  },
  csv: {
    meaning: "a header and a line a record, as RFC 4180 has it",
    load: async () => (await import("./csv.ts")).csvFormat,
  },
  yaml: {
    meaning:
      "a record as a mapping, a list as a sequence of records, as they come; every number to its last digit",
    load: async () => (await import("./yaml.ts")).yamlFormat,
  },
  id: {
    meaning: "what the next command takes, one a line: the name of a sender ID, the id of a group",
    load: async () => (await import("./id.ts")).idFormat,
  },
} as const satisfies Readonly<Record<string, FormatEntry>>;

export type FormatName = keyof typeof formats;

/** Options that change what a format prints. */
interface FormatOptions {
  /** Whether no cell of CSV may be a formula. */
  readonly isCsvSafe: boolean;
  /** A JMESPath expression. */
  readonly query: string | undefined;
}

/** Returns what loads a format. @throws SendctlError "usage" for options that do not apply to it */
export function formatLoader(
  name: FormatName,
  { isCsvSafe, query }: FormatOptions,
): () => Promise<Format> {
  if (query !== undefined) return loadQueried(name, query);
  return isCsvSafe ? loadSafeCsv(name) : formats[name].load;
}

/** Returns what loads a format for the result of a query. @throws SendctlError "usage" where it has none */
function loadQueried(name: FormatName, query: string): () => Promise<Format> {
  if (name === "csv" || name === "id") {
    throw new SendctlError("usage", `--query does not apply to the output format ${name}`, {
      hint: "use --output json, jsonl, yaml or table",
      setting: "--query",
    });
  }
  return async () => {
    const { queryFormat } = await import("./query/query-format.ts");
    return queryFormat(name, await formats[name].load(), query);
  };
}

/** Returns what loads CSV without formulas. @throws SendctlError "usage" for another format */
function loadSafeCsv(name: FormatName): () => Promise<Format> {
  if (name === "csv") return async () => (await import("./csv.ts")).safeCsvFormat;
  throw new SendctlError("usage", `--csv-safe does not apply to the output format ${name}`, {
    hint: "pass --output csv, or leave --csv-safe out",
  });
}

export const formatNames = Object.keys(formats) as readonly FormatName[];

/** Returns whether a failure is printed to standard output under a format, which may be invalid. */
export function printsFailures(name: string | undefined): boolean {
  const known = formatNames.find((one) => one === name);
  const entry: FormatEntry | undefined = known === undefined ? undefined : formats[known];
  return entry?.printsFailures === true;
}
