/**
 * The records of the service, field by field: specification, part 2. Types, validation, the OpenAPI
 * document, manifests, plans, tables and copies follow from these tables.
 *
 * They are loaded at every start, so they are literals, and nothing is computed here.
 */

/** The JSON value of a field. */
export interface JsonField {
  /** JSON has strings for all but integers and booleans; the others say what the string is. */
  readonly type: "integer" | "boolean" | "text" | "status" | "uuid" | "timestamp";
  /** What null means. Without it, null is refused (ruling 13) and never shown. */
  readonly null?: string;
  /** The smallest value of an integer. */
  readonly minimum?: number;
  /** The only responses that show it; without it, every response that has the record. */
  readonly shown?: "lists" | "never";
}

/** A field of a record or of a request body. */
export interface Field extends JsonField {
  /** The ruling that limits a text, by its number: src/engine/rulings.ts has the limits. */
  readonly ruling?: number;
  /** The kind of record that a text names: ruling 14. */
  readonly refersTo?: "sender-id";
  /** Ruling 4: whether a create takes it. The service assigns a field that neither this nor `update` names. */
  readonly create?: "required" | "optional";
  readonly update?: "optional";
  /** A manifest finds records by a key. Of what it sets, `sent` is what no response shows, to compare it with. */
  readonly manifest?: "key" | "compared" | "sent";
  /** In tables. */
  readonly label: string;
  /** How a list shows it. Without it, only a single record has it. */
  readonly column?: Column;
  /** For the schema of manifests: a sentence without its full stop, and a typical value. */
  readonly about?: string;
  readonly example?: string | number | boolean;
}

interface Column {
  /** It stands before the fields without this, whatever their order in the record. */
  readonly leads?: true;
  /** Characters that are left of it in a narrow terminal. */
  readonly least?: number;
  /** It is left out where the terminal is too narrow. */
  readonly optional?: true;
}

export type Fields = Readonly<Record<string, Field>>;

export const senderIdFields = {
  id: { type: "integer", label: "ID", column: {} },
  name: {
    type: "text",
    ruling: 5,
    create: "required",
    manifest: "key",
    label: "Name",
    column: { least: 10 },
    about: "The name; no two sender IDs have the same",
    example: "ACME",
  },
  purpose: {
    type: "text",
    ruling: 6,
    create: "required",
    manifest: "compared",
    label: "Purpose",
    column: { least: 10 },
    about: "What it is used for, as the review sees it",
    example: "Order updates",
  },
  status: { type: "status", label: "Status", column: {} },
  created_at: { type: "timestamp", label: "Created", column: { optional: true } },
} as const satisfies Fields;

export const groupFields = {
  id: {
    type: "integer",
    manifest: "key",
    label: "ID",
    column: { leads: true },
    about: "Its id, which the service has assigned",
    example: 1,
  },
  uuid: {
    type: "uuid",
    manifest: "key",
    label: "UUID",
    about: "Its uuid, which the service has assigned",
    example: "123e4567-e89b-12d3-a456-426614174000",
  },
  name: {
    type: "text",
    ruling: 7,
    create: "required",
    update: "optional",
    manifest: "compared",
    label: "Name",
    column: { leads: true, least: 10 },
    about: "Its name. Groups that share one have to give their id or uuid",
    example: "Customers",
  },
  send_birthday: {
    type: "boolean",
    create: "optional",
    update: "optional",
    manifest: "compared",
    label: "Birthday",
    column: {},
    about: "Whether contacts get a message on their birthday",
    example: true,
  },
  send_holiday: {
    type: "boolean",
    null: "not decided",
    update: "optional",
    manifest: "compared",
    label: "Holiday",
    column: {},
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
    about: "The name of the sender ID that it sends under, which the service never shows",
    example: "ACME",
  },
  contacts_count: {
    type: "integer",
    minimum: 0,
    shown: "lists",
    label: "Contacts",
    column: { leads: true },
  },
  created_at: { type: "timestamp", label: "Created", column: { optional: true } },
} as const satisfies Fields;

/** What a page says of itself, beside its records: rulings 18 and 19. */
export const pageFields = {
  current_page: { type: "integer", minimum: 1 },
  last_page: { type: "integer", minimum: 1 },
  per_page: { type: "integer", minimum: 0 },
  total: { type: "integer", minimum: 0 },
} as const satisfies Readonly<Record<string, JsonField>>;

/** The fields of each resource, by its name in operations. */
export const resources = { "sender-id": senderIdFields, group: groupFields } as const;

/** What the JSON value of a field can be. */
export type ValueOf<One extends JsonField> =
  | (One["type"] extends "integer" ? number : One["type"] extends "boolean" ? boolean : string)
  | (One extends { readonly null: string } ? null : never);

type AnyResource = (typeof resources)[keyof typeof resources];

/** The numbers of all rulings that limit a text. */
export type TextRulingNumber = Extract<
  ValuesOf<AnyResource>,
  { readonly ruling: number }
>["ruling"];

type ValuesOf<Table> = Table extends unknown ? Table[keyof Table] : never;

/** Lays out a type made of several, for editors and error messages. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] };

/** A record as a response has it. */
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

/** The names of the fields that have something in common. */
export function namesOf<Name extends string>(
  fields: Readonly<Record<Name, Field>>,
  isMeant: (field: Field) => boolean,
): Name[] {
  return (Object.keys(fields) as Name[]).filter((name) => isMeant(fields[name]));
}
