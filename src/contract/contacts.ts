import type { Reply } from "./service.ts";

/**
 * Contacts of groups (ruling 25). No operation of the service has contacts; the commands and the
 * embedded engine share these types.
 */

/** Fields of a contact, and the allowed columns of a CSV file. */
export const contactColumns = ["phone", "first_name", "birth_date"] as const;
export type ContactColumn = (typeof contactColumns)[number];

export interface Contact {
  /** E.164: `+` and digits. */
  readonly phone: string;
  readonly first_name: string | null;
  /** `YYYY-MM-DD`, or `--MM-DD` if the year is unknown. */
  readonly birth_date: string | null;
}

/** A record of a file with its first line, counted from 1. */
export interface ContactLine {
  readonly line: number;
  /** One per column, unless the line is invalid. */
  readonly cells: readonly string[];
  /** Why it is invalid, if that is known: worded to follow the number of the line. */
  readonly problem?: string;
}

/** An error in a line. */
export interface ContactDiagnostic {
  readonly line: number;
  /** Null if the error concerns the whole line. */
  readonly field: ContactColumn | null;
  /** Worded to follow the name of the field: `is missing`. */
  readonly reason: string;
}

export interface ContactImport {
  readonly columns: readonly ContactColumn[];
  readonly lines: AsyncIterable<readonly ContactLine[]>;
  /** Country whose national numbers are accepted, such as GB; undefined for none. */
  readonly country: string | undefined;
  /** Whether to skip invalid lines. Otherwise, any invalid line prevents the import. */
  readonly skipInvalid: boolean;
  /** Whether to change nothing, and only count. Invalid lines are skipped then. */
  readonly isTrial?: boolean;
  /** Called at every step. If it throws, the import ends and changes nothing. */
  readonly step: (done: ImportStep) => Promise<void>;
}

type ImportStep = { readonly read: number } | { readonly written: number; readonly total: number };

/** lines = added + updated + unchanged + duplicates + skipped. */
export interface ImportedContacts {
  readonly group_id: number;
  readonly group: string;
  /** Number of records read, without the header. */
  readonly lines: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Lines whose phone occurs again in a later line, which wins. */
  readonly duplicates: number;
  /** Invalid lines that were skipped. */
  readonly skipped: number;
  /** Contacts of the group after the import. */
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

/** Result of deleting contacts, by phone. */
export interface DeletedContacts {
  readonly deleted: readonly string[];
  readonly not_found: readonly string[];
  /** Why a text that was not found is not a phone number, by the text. */
  readonly reasons?: Readonly<Record<string, string>>;
}

/** A contact's birthday and the message of the group. */
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

/** A stream of records. */
export interface Records<Item> {
  readonly message: string;
  readonly pages: AsyncIterable<readonly Item[]>;
}

/** A stream of records, or a refusal. */
export type RecordStream<Item> = { readonly refusal: Reply } | Records<Item>;
