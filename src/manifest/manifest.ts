import type { Location } from "../core/error.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Fields,
  type ValueOf,
} from "../contract/resources.ts";

/**
 * The desired state that manifests describe: sender IDs and groups with their locations. Names and messages, also
 * within diagnostics, are untrusted text and need src/core/safe-text.ts before a terminal shows them.
 */

/** The fields that a manifest can set, with the types of their values. */
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

/** The fields of a group that a manifest can set, except for the required name. */
export type GroupSettings = Partial<Omit<Settings<typeof groupFields>, "name">>;

/** A group of a manifest. Undefined fields are not managed: the service keeps their values. */
export interface DesiredGroup extends GroupSettings {
  /** Decimal, without leading zeros. */
  readonly id?: string;
  /** In lower case. */
  readonly uuid?: string;
  readonly name: string;
  readonly location: Location;
  /** Location of the value of `sender_id`. */
  readonly senderIdLocation?: Location;
}

/** The desired state. A section that is missing from all files is undefined and not managed. */
export interface Manifest {
  readonly senderIds: readonly DesiredSenderId[] | undefined;
  readonly groups: readonly DesiredGroup[] | undefined;
}

/** The fields of each mapping of a manifest, in the usual order. */
export const manifestFields = {
  manifest: ["sender_ids", "groups", "$schema"],
  senderId: namesOf(senderIdFields, ({ manifest }) => manifest !== undefined),
  group: namesOf(groupFields, ({ manifest }) => manifest !== undefined),
} as const;

/** The fields that updates can set and responses show. Plans compare them, and exports write them. */
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
