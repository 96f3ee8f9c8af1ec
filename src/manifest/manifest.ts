import type { Location } from "../core/error.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
  type resources,
  type ValueOf,
} from "../contract/resources.ts";

/**
 * The desired state that manifests describe: sender IDs and groups with their locations. Names and messages, also
 * within diagnostics, are untrusted text and need src/core/text.ts before a terminal shows them.
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
type GroupSettings = Partial<Omit<Settings<typeof groupFields>, "name">>;

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

/** The sections of a manifest, and the kind of their records. */
export const sections = { sender_ids: "sender-id", groups: "group" } as const;

export type RecordKind = keyof typeof resources;

export const nouns = { "sender-id": "sender ID", group: "group" } as const;

/** The fields that a record of a manifest can have, in the usual order, and those that it must have. */
export const manifestFields = {
  "sender-id": fieldsOf(senderIdFields),
  group: fieldsOf(groupFields),
} as const;

function fieldsOf(fields: Fields) {
  return {
    known: namesOf(fields, ({ manifest }) => manifest !== undefined),
    required: namesOf(fields, ({ create }) => create === "required"),
  };
}

/** What a manifest accepts for a field: any text, a text that is not empty, or a value with rules of its own. */
export type Form = "text" | "name" | "sender-id" | "id" | "uuid" | "flag";

/** Returns the form of a field. Its value can also be null if the field has a meaning for that. */
export function formOf(name: string, { type, manifest, refersTo }: Field): Form {
  if (type === "boolean") return "flag";
  if (type === "integer") return "id";
  if (type === "uuid") return "uuid";
  // Sender IDs are found by their names, which are a part of paths.
  if (refersTo !== undefined || manifest === "key") return "sender-id";
  return name === "name" ? "name" : "text";
}

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

/** Returns whether a URL path can contain a name. */
export function isPathSafeName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && name.isWellFormed();
}
