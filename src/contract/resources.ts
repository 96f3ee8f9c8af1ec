/**
 * The records of the service, field by field. Types, validation, the OpenAPI document,
 * manifests, plans, tables and copies are derived from these tables.
 *
 * This file is loaded at every start, so it has only literals and computes nothing.
 */

/** The JSON value of a field. */
export interface JsonField {
  /** Every type except integer and boolean is a JSON string. */
  readonly type: "integer" | "boolean" | "text" | "status" | "uuid" | "timestamp";
  /** Meaning of null. Without it, null is refused (ruling 13) and never returned. */
  readonly null?: string;
  /** Minimum of an integer. */
  readonly minimum?: number;
  /** Restricts which responses have the field. Without it, every response with the record does. */
  readonly shown?: "lists" | "never";
  /** What it is, without a full stop, for schemas and the OpenAPI document. */
  readonly about: string;
  readonly example: string | number | boolean;
}

/** A field of a record or of a request body. */
export interface Field extends JsonField {
  /** Number of the ruling that limits a text: src/engine/rules/rulings.ts has the limits. */
  readonly ruling?: number;
  /** The kind of record that a text refers to (ruling 14). */
  readonly refersTo?: "sender-id";
  /** Ruling 4: whether a create accepts it. Without this and `update`, the service assigns it. */
  readonly create?: "required" | "optional";
  readonly update?: "optional";
  /** Manifests find records by `key` fields. No response has `sent` fields to compare. */
  readonly manifest?: "key" | "compared" | "sent";
  /** Heading in tables. */
  readonly label: string;
  /** Column in list tables. Without it, only the view of a single record shows the field. */
  readonly column?: Column;
}

interface Column {
  /** Comes before all columns without `leads`. */
  readonly leads?: true;
  /** Minimum width in a narrow terminal, in characters. */
  readonly least?: number;
  /** The next command takes it, so it is truncated last. */
  readonly vital?: true;
  /** Omitted if the terminal is too narrow. */
  readonly optional?: true;
}

export type Fields = Readonly<Record<string, Field>>;

const createdAt = {
  type: "timestamp",
  label: "Created",
  column: { optional: true },
  about: "When the record was created, in UTC with microseconds",
  example: "2026-01-31T08:00:00.000000Z",
} as const;

/** The statuses of a sender ID: ruling 17. Other services may have more. */
export const knownStatuses: readonly string[] = ["PENDING", "APPROVED", "REJECTED"];

export const senderIdFields = {
  id: {
    type: "integer",
    label: "ID",
    column: {},
    about: "The id that the service assigned",
    example: 1,
  },
  name: {
    type: "text",
    ruling: 5,
    create: "required",
    manifest: "key",
    label: "Name",
    column: { least: 10, vital: true },
    about: "The name, unique among sender IDs",
    example: "ACME",
  },
  purpose: {
    type: "text",
    ruling: 6,
    create: "required",
    manifest: "compared",
    label: "Purpose",
    column: { least: 10 },
    about: "What the sender ID is used for, for the reviewer",
    example: "Order updates",
  },
  status: {
    type: "status",
    label: "Status",
    column: {},
    about: "The state of its review",
    example: "PENDING",
  },
  created_at: createdAt,
} as const satisfies Fields;

export const groupFields = {
  id: {
    type: "integer",
    manifest: "key",
    label: "ID",
    column: { leads: true },
    about: "The id that the service assigned",
    example: 1,
  },
  uuid: {
    type: "uuid",
    manifest: "key",
    label: "UUID",
    about: "The uuid that the service assigned",
    example: "123e4567-e89b-12d3-a456-426614174000",
  },
  name: {
    type: "text",
    ruling: 7,
    create: "required",
    update: "optional",
    manifest: "compared",
    label: "Name",
    column: { leads: true, least: 10, vital: true },
    about: "The name. Groups with the same name need an id or uuid",
    example: "Customers",
  },
  send_birthday: {
    type: "boolean",
    create: "optional",
    update: "optional",
    manifest: "compared",
    label: "Birthday",
    column: { optional: true },
    about: "Whether contacts get a message on their birthday",
    example: true,
  },
  send_holiday: {
    type: "boolean",
    null: "not decided",
    update: "optional",
    manifest: "compared",
    label: "Holiday",
    column: { optional: true },
    about: "Whether contacts get messages on holidays",
    example: false,
  },
  birthday_message: {
    type: "text",
    null: "no message",
    ruling: 8,
    create: "optional",
    update: "optional",
    manifest: "compared",
    label: "Birthday message",
    column: { least: 16, optional: true },
    about: "The birthday message; `{first_name}` stands for the contact's name",
    example: "Happy birthday, {first_name}!",
  },
  sender_id: {
    type: "text",
    null: "no sender ID",
    refersTo: "sender-id",
    update: "optional",
    shown: "never",
    manifest: "sent",
    label: "Sender ID",
    about: "The name of the sender ID for messages, which the service never returns",
    example: "ACME",
  },
  contacts_count: {
    type: "integer",
    minimum: 0,
    shown: "lists",
    label: "Contacts",
    column: { leads: true },
    about: "The number of contacts in the group",
    example: 12,
  },
  created_at: createdAt,
} as const satisfies Fields;

/** Fields of a page besides its records (rulings 18 and 19). */
export const pageFields = {
  current_page: {
    type: "integer",
    minimum: 1,
    about: "The number of this page, counted from 1",
    example: 1,
  },
  last_page: {
    type: "integer",
    minimum: 1,
    about: "The number of the last page; 1 for an empty list",
    example: 1,
  },
  per_page: {
    type: "integer",
    minimum: 0,
    about: "The page size that was applied",
    example: 15,
  },
  total: { type: "integer", minimum: 0, about: "The number of records on all pages", example: 1 },
} as const satisfies Readonly<Record<string, JsonField>>;

/** Fields by resource name. */
export const resources = { "sender-id": senderIdFields, group: groupFields } as const;

/** Type of the JSON value of a field. */
export type ValueOf<One extends JsonField> =
  | (One["type"] extends "integer" ? number : One["type"] extends "boolean" ? boolean : string)
  | (One extends { readonly null: string } ? null : never);

type AnyResource = (typeof resources)[keyof typeof resources];

/** Numbers of the rulings that limit texts. */
export type TextRulingNumber = Extract<
  ValuesOf<AnyResource>,
  { readonly ruling: number }
>["ruling"];

type ValuesOf<Table> = Table extends unknown ? Table[keyof Table] : never;

/** Flattens an intersection type, for readable editor hints and compiler errors. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** A record in a response. */
export type RecordOf<Table extends Readonly<Record<string, JsonField>>> = Flat<
  {
    readonly [
      Name in keyof Table as Table[Name] extends { readonly shown: string } ? never : Name
    ]: ValueOf<Table[Name]>;
  } & {
    readonly [
      Name in keyof Table as Table[Name] extends { readonly shown: "lists" } ? Name : never
    ]?: ValueOf<Table[Name]>;
  }
>;

/** The body of a request. */
export type BodyOf<Table extends Fields, By extends "create" | "update"> = Flat<
  {
    readonly [
      Name in keyof Table as Table[Name] extends { readonly [Key in By]: "required" } ? Name : never
    ]: ValueOf<Table[Name]>;
  } & {
    readonly [
      Name in keyof Table as Table[Name] extends { readonly [Key in By]: "optional" } ? Name : never
    ]?: ValueOf<Table[Name]>;
  }
>;

/** Returns the names of the fields that match. */
export function namesOf<Name extends string>(
  fields: Readonly<Record<Name, Field>>,
  matches: (field: Field) => boolean,
): Name[] {
  return (Object.keys(fields) as Name[]).filter((name) => matches(fields[name]));
}

/** Fields of a group that an update can set. */
export const settableFields = namesOf(groupFields, ({ update }) => update !== undefined);

/** A uuid, which a group has, in either case; the pattern is also that of the schemas. */
export const uuidForm = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** An id in decimal, as people write it. */
export const decimalForm = /^[0-9]+$/;

/** The kind of a record, and what people call it. */
export type RecordKind = keyof typeof resources;
export const nouns = { "sender-id": "sender ID", group: "group" } as const;
