import { flag, text, type Option, type Values } from "../define-command.ts";

/** Options of every paged list. */
export const pageOptions = {
  perPage: text("--per-page <n>", "page size (default: the service's)"),
  page: text("--page <n>", "page number, starting at 1"),
  all: flag("--all", "show the records of all pages"),
};

export type ListOptions = Values<typeof pageOptions>;

const watch: Option<string | undefined> = {
  flags: [["--watch [duration]", "repeat until Ctrl-C, with this pause in between (default: 2s)"]],
  read: (given) => (given === true ? "2s" : (given as string | undefined)),
};

/** Less common list options; only they load `select.ts`, which has their effect. */
const furtherOptions = {
  limit: text("--limit <n>", "maximum number of records, across pages"),
  search: text("--search <text>", "only records with this text in any text field, ignoring case"),
  name: text("--name <text>", "only records with exactly this name"),
  sort: text("--sort <field>", "field to sort by; FIELD:desc for descending order", {
    takes: "sort-field",
  }),
  columns: text("--columns <fields>", "fields or headings, separated by commas (table and csv)", {
    takes: "fields",
  }),
  noHeader: flag("--no-header", "omit the header (table and csv)"),
  null: flag("-0, --null", "end each id with NUL, for xargs -0 (--output id)"),
  watch,
};

/** The values of all options. Contact lists have none of these; only sender IDs have a status. */
export type FurtherOptions = Partial<Values<typeof furtherOptions>> & { readonly status?: string };

/** Values of the options that filter: `filters` in select.ts says what they select. */
export type FilterOptions = Pick<FurtherOptions, "search" | "name" | "status">;

/** Options of the lists of sender IDs and groups. */
export const listOptions = { ...pageOptions, ...furtherOptions };
