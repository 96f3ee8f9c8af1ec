import type { CsvOptions } from "./line-format.ts";
import { SendctlError } from "../../core/error.ts";
import type { Format, FormatName } from "./format.ts";

interface FormatEntry {
  /** Description in the help. */
  readonly meaning: string;
  readonly load: (csv: CsvOptions) => Promise<Format>;
}

/** All output formats. `--output`, its help and its completion are derived from this table. */
export const formats = {
  table: {
    meaning:
      "a table. On a terminal it has borders and colours, fits the width and shows local time; in a pipe or file it is plain, aligned and complete",
    load: async () => (await import("./table.ts")).tableFormat,
  },
  json: {
    meaning:
      "the envelope as sent by the service, with all digits of numbers, indented by two spaces. Errors are also printed as envelopes, with kind, HTTP status, message and hint in `error`",
    load: async () => (await import("./plain-formats.ts")).jsonFormat,
  },
  jsonl: {
    meaning: "one record per line, printed as it arrives, in constant memory",
    load: async () => (await import("./plain-formats.ts")).jsonlFormat,
  },
  csv: {
    meaning: "a header and one row per record, as in RFC 4180: lines end with CRLF",
    load: async (csv: CsvOptions) => (await import("./line-format.ts")).csvFormat(csv),
  },
  yaml: {
    meaning:
      "a record as a mapping, a list as a sequence of records, printed as they arrive, with all digits of numbers",
    load: async () => (await import("./yaml.ts")).yamlFormat,
  },
  id: {
    meaning:
      "one identifier per line, for other commands: the name of a sender ID or the id of a group",
    load: async () => (await import("./plain-formats.ts")).idFormat,
  },
  markdown: {
    meaning:
      "a table for a pull request or an issue; of a plan, with a summary and warnings. Values cannot become links, mentions, images or HTML",
    load: async () => (await import("./markdown.ts")).markdownFormat,
  },
} as const satisfies Readonly<Record<FormatName, FormatEntry>>;

/** Options that change what a format prints. */
export interface FormatOptions {
  readonly csv: CsvOptions;
  /** A JMESPath expression. */
  readonly query: string | undefined;
}

/** Returns the loader of a format. @throws SendctlError "usage" for options of other formats */
export function formatLoader(
  name: FormatName,
  { csv, query }: FormatOptions,
): () => Promise<Format> {
  const format: FormatEntry = formats[name];
  const option = csv.isSafe ? "--csv-safe" : csv.hasMark ? "--csv-bom" : undefined;
  if (option !== undefined && name !== "csv") {
    throw new SendctlError("usage", `${option} does not apply to the output format ${name}`, {
      hint: `pass --output csv, or omit ${option}`,
    });
  }
  if (query === undefined) return () => format.load(csv);
  if (!["json", "jsonl", "yaml", "table"].includes(name)) {
    throw new SendctlError("usage", `--query does not apply to the output format ${name}`, {
      hint: "use --output json, jsonl, yaml or table",
      field: "--query",
    });
  }
  return async () => {
    const { queryFormat } = await import("./query.ts");
    return queryFormat(name, await format.load(csv), query);
  };
}

/** The names of all formats. */
export const formatNames = Object.keys(formats) as readonly FormatName[];

/** The formats of records without an identifier. */
export const recordFormats = formatNames.filter((name) => name !== "id");

/** Returns whether errors are also printed to stdout. @param name of a format, may be invalid */
export function printsFailures(name: string | undefined): boolean {
  return name === "json";
}
