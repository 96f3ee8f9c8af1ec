import {
  groupFields,
  namesOf,
  senderIdFields,
  type Fields,
  type ValueOf,
} from "../contract/resources.ts";

/**
 * What a manifest says there should be: sender IDs and groups as they are desired, each with where it
 * stands. Texts come from outside, and those of diagnostics hold pieces of them: they are for
 * src/output/safe-text.ts before a terminal shows them.
 */

/** Where something stands; lines and columns from 1, columns in UTF-16 units. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong at a location, and what would be right. */
export interface Diagnostic extends Location {
  readonly message: string;
}

/** The fields that a manifest sets, with the values that they can have. */
type Settings<Table extends Fields> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly manifest: "compared" | "sent" }
      ? Name
      : never
  ]: ValueOf<Table[Name]>;
};

export interface DesiredSenderId extends Settings<typeof senderIdFields> {
  readonly name: string;
  readonly location: Location;
}

/** What a manifest can set of a group, but for its name, which every group has. */
export type GroupSettings = Partial<Omit<Settings<typeof groupFields>, "name">>;

/** A field that is undefined is not managed: it stays as it is. */
export interface DesiredGroup extends GroupSettings {
  /** Decimal, without leading zeros. */
  readonly id?: string;
  /** In lower case. */
  readonly uuid?: string;
  readonly name: string;
  readonly location: Location;
  /** Of the value of `sender_id`. */
  readonly senderIdLocation?: Location;
}

/** A section that no file has is undefined: it is not managed. */
export interface Manifest {
  readonly senderIds: readonly DesiredSenderId[] | undefined;
  readonly groups: readonly DesiredGroup[] | undefined;
}

/** The fields of each mapping of a manifest, in the order that people write them. */
export const manifestFields = {
  manifest: ["sender_ids", "groups", "$schema"],
  senderId: namesOf(senderIdFields, ({ manifest }) => manifest !== undefined),
  group: namesOf(groupFields, ({ manifest }) => manifest !== undefined),
} as const;

/** The fields that an update can set, and that responses show: what a plan compares, and an export writes. */
export const comparedGroupFields = namesOf(
  groupFields,
  ({ manifest }) => manifest === "compared",
) as readonly ComparedGroupField[];

export type ComparedGroupField = {
  [Name in keyof typeof groupFields]: (typeof groupFields)[Name] extends {
    readonly manifest: "compared";
  }
    ? Name
    : never;
}[keyof typeof groupFields];

export const decimalId = /^[1-9][0-9]*$/;
export const uuidPattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
