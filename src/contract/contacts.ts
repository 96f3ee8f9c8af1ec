import type { Reply } from "./service.ts";

/**
 * What groups are filled with: ruling 25. No operation of the service has contacts; commands and the
 * embedded engine agree on these shapes.
 */

/** What a contact is made of, and the columns that a CSV file may have. */
export const contactColumns = ["phone", "first_name", "birth_date"] as const;
export type ContactColumn = (typeof contactColumns)[number];

export interface Contact {
  /** E.164: `+` and digits. */
  readonly phone: string;
  readonly first_name: string | null;
  /** `YYYY-MM-DD`, or `--MM-DD` where the year is not known. */
  readonly birth_date: string | null;
}

/** A record of a file, and the line that it begins on, from 1. */
export interface ContactLine {
  readonly line: number;
  /** As many as there are columns, unless something is wrong. */
  readonly cells: readonly string[];
}

/** What is wrong with a line. */
export interface ContactDiagnostic {
  readonly line: number;
  /** Null where it is the line as a whole. */
  readonly field: ContactColumn | null;
  /** What follows the field's name: `is missing`. */
  readonly reason: string;
}

export interface ContactImport {
  readonly columns: readonly ContactColumn[];
  readonly lines: AsyncIterable<readonly ContactLine[]>;
  /** Whose national numbers are understood, such as GB; undefined where only international ones are. */
  readonly country: string | undefined;
  /** Whether to skip invalid lines. Otherwise, any invalid line prevents the import. */
  readonly skipInvalid: boolean;
  /** Called at every step. If it throws, the import ends and changes nothing. */
  readonly step: (done: ImportStep) => Promise<void>;
}

export type ImportStep =
  | { readonly read: number }
  | { readonly written: number; readonly total: number };

/** lines = added + updated + unchanged + duplicates + skipped. */
export interface ImportedContacts {
  readonly group_id: number;
  readonly group: string;
  /** Records that were read, the header not counted. */
  readonly lines: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Lines whose phone a later line has again: that one counts. */
  readonly duplicates: number;
  /** Lines at fault that were left out. */
  readonly skipped: number;
  /** Of the group, from now on. */
  readonly contacts_count: number;
}

export interface ImportOutcome {
  /** At most the first 100. */
  readonly diagnostics: readonly ContactDiagnostic[];
  readonly invalidLines: number;
  /** Number of all lines. */
  readonly lines: number;
  /** Undefined if invalid lines prevented the import. */
  readonly reply: Reply | undefined;
}

/** What became of contacts that were to be deleted, by their phones. */
export interface DeletedContacts {
  readonly deleted: readonly string[];
  readonly not_found: readonly string[];
}

/** Who has a birthday on a day, and what a group sends. */
export interface Birthday {
  readonly date: string;
  readonly contact: Contact;
  readonly group: {
    readonly id: number;
    readonly name: string;
    readonly birthday_message: string | null;
  };
  readonly sender_id: { readonly name: string; readonly status: string } | null;
}

/** Records that are read while they are shown. */
export interface Records<Item> {
  readonly message: string;
  readonly pages: AsyncIterable<readonly Item[]>;
}

/** The same, or why there are none. */
export type RecordStream<Item> = { readonly refusal: Reply } | Records<Item>;
