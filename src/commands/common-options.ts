import { flag, text } from "../cli/define-command.ts";

/** What every list takes. */
export const pageOptions = {
  perPage: text("--per-page <n>", "page size (default: the service's)"),
  page: text("--page <n>", "the page to show, from 1"),
  all: flag("--all", "show every record, over all pages"),
};

/** What every delete takes. */
export const deleteOptions = {
  yes: flag("-y, --yes", "delete without asking"),
};

/** What every command takes that reads records from standard input. */
export const severalOptions = {
  null: flag("-0, --null", "separate the records on standard input by NUL, not by newline"),
};
