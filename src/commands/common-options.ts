import { flag, text, type Option } from "../cli/define-command.ts";

/** How a list is read. */
export interface ListOptions {
  readonly perPage?: string;
  readonly page?: string;
  readonly all?: boolean;
}

/** The options of a list that few use: `src/commands/lists` is loaded for them. */
export interface FurtherOptions {
  readonly limit?: string;
  readonly search?: string;
  readonly name?: string;
  readonly status?: string;
  readonly sort?: string;
  readonly columns?: string;
  readonly noHeader?: boolean;
  readonly null?: boolean;
  readonly watch?: string;
}

/** What every list takes that is read page by page. */
export const pageOptions = {
  perPage: text("--per-page <n>", "page size (default: the service's)"),
  page: text("--page <n>", "the page to show, from 1"),
  all: flag("--all", "show every record, over all pages"),
};

const watch: Option<string | undefined> = {
  flags: [["--watch [duration]", "repeat until Ctrl-C, with a pause in between (default: 2s)"]],
  read: (given) => (given === true ? "2s" : (given as string | undefined)),
};

/** What the lists of the service take. */
export const listOptions = {
  ...pageOptions,
  limit: text("--limit <n>", "show the newest n records, over pages"),
  search: text("--search <text>", "only records with this text in any text field, ignoring case"),
  name: text("--name <text>", "only records with exactly this name"),
  sort: text("--sort <field>", "sort by a field; FIELD:desc for descending order"),
  columns: text("--columns <fields>", "fields to show, separated by commas (table and csv)"),
  noHeader: flag("--no-header", "leave out the header (table and csv)"),
  null: flag("-0, --null", "end each id with NUL, for xargs -0 (--output id)"),
  watch,
};

/** What every delete takes. */
export const deleteOptions = {
  yes: flag("-y, --yes", "delete without asking"),
};

/** What every command takes that reads records from standard input. */
export const severalOptions = {
  null: flag("-0, --null", "separate the records on standard input by NUL, not by newline"),
};
