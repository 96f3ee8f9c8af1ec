import { jsonText } from "../core/json-text.ts";
import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
} from "../contract/resources.ts";
import type { RecordIdentity } from "../contract/service.ts";
import { capitalized, safeText } from "../core/text.ts";
import { localDay } from "../core/time.ts";
import type { Style } from "./terminal.ts";
import type { Cell, Column } from "./table/table.ts";

/** What is said of a change with HTTP 202. */
export const accepted = "accepted, not done yet";

/** How a field is shown: its label, its cells and its column. */
interface FieldView {
  readonly label: string;
  readonly cell?: ((value: unknown, times: TimeView) => Cell) | undefined;
  readonly column?: Omit<Column, "label">;
}

/** Formats a timestamp. */
export type TimeView = (timestamp: string) => string;

/** The layout of a list, set by options. */
interface ListLayout {
  /** Whether the user chose the columns; exactly these are shown. */
  readonly hasChosenColumns?: boolean;
  readonly isHeaderless?: boolean;
  /** Whether ids are separated by NUL, not by newline. */
  readonly isNullSeparated?: boolean;
}

/** How records are shown, and the names of their kind, if users list and choose them. */
export interface RecordView {
  readonly one?: string;
  readonly many?: string;
  /** The command that creates a record. */
  readonly toCreate?: string;
  /** The field that identifies a record in arguments of commands. */
  readonly key: string;
  readonly fields: Readonly<Record<string, FieldView>>;
  /** The fields of a list's columns, in order. */
  readonly columns: readonly string[];
  /** Returns the CSV header of records, which is the same for an empty list. */
  readonly csvHeader?: (first: Readonly<Record<string, unknown>> | undefined) => readonly string[];
  readonly layout?: ListLayout;
  /** Returns a record as a line; for lists that are printed line by line instead of as a table. */
  readonly line?: (
    record: Readonly<Record<string, unknown>>,
    times: TimeView,
    style: Style,
  ) => string;
}

/** Returns the name of a record: `Group Customers (id 2)`. @param key if nothing else is known */
export function titleOf(
  view: RecordView,
  record: RecordIdentity | undefined,
  key: string = textOf(record?.[view.key as keyof RecordIdentity]),
): string {
  const one = capitalized(view.one ?? "record");
  const { id = key, name } = record ?? {};
  if (name === undefined || view.key === "name") return `${one} ${textOf(name ?? key)}`;
  return `${one} ${textOf(name)} (id ${textOf(id)})`;
}

export const statusCell = (value: unknown): Cell => {
  if (value === null || value === undefined) return absentOr(value);
  const text = textOf(value);
  if (value === "APPROVED") return { text, style: (style) => style.good };
  return { text, style: (style) => (value === "REJECTED" ? style.bad : style.waiting) };
};

const yesNoCell = (value: unknown): Cell => {
  if (value === true) return { text: "yes", style: (style) => style.good };
  if (value === false) return { text: "no" };
  return absentOr(value);
};

export const timeCell = (value: unknown, times: TimeView): Cell =>
  typeof value === "string" ? { text: textOf(times(value)) } : absentOr(value);

/** Returns a value as safe text: text itself, anything else as JSON, undefined as a dash. */
export function textOf(value: unknown): string {
  if (value === undefined) return "-";
  if (typeof value === "bigint") return String(value);
  return safeText(typeof value === "string" ? value : jsonText(value));
}

/** Returns a cell with the text of a value, or a dash for null and undefined. */
export function absentOr(value: unknown): Cell {
  if (value === null || value === undefined) return { text: "-", style: (style) => style.faint };
  return { text: textOf(value) };
}

const number = { align: "right" } as const;
const text = { least: 10 } as const;
const key = { ...text, vital: true } as const;

/** Cells of types that are not shown as plain text. */
const cells: Partial<Record<Field["type"], FieldView["cell"]>> = {
  boolean: yesNoCell,
  status: statusCell,
  timestamp: timeCell,
};

/** Returns the view of a resource's fields. Leading columns come first in a list. */
function fieldViews(fields: Fields): Pick<RecordView, "fields" | "columns" | "csvHeader"> {
  const shown = namesOf(fields, (field) => field.shown !== "never");
  const views = shown.map((name) => [name, fieldView(fields[name]!)] as const);
  const columns = shown.filter((name) => fields[name]!.column !== undefined);
  const leads = (name: string): boolean => fields[name]!.column?.leads === true;
  return {
    fields: Object.fromEntries(views),
    columns: [...columns.filter(leads), ...columns.filter((name) => !leads(name))],
    csvHeader: (first) => [
      ...shown.filter(
        (name) =>
          first === undefined || fields[name]!.shown !== "lists" || Object.hasOwn(first, name),
      ),
      // A service may return more fields than its specification names.
      ...Object.keys(first ?? {}).filter((name) => !shown.includes(name)),
    ],
  };
}

function fieldView({ type, label, column = {} }: Field): FieldView {
  const { least, vital, optional } = column;
  const align = type === "integer" ? number.align : undefined;
  return { label, cell: cells[type], column: { align, least, vital, optional } };
}

export const senderIdView: RecordView = {
  one: "sender ID",
  many: "sender IDs",
  toCreate: 'sendctl sender-id create NAME --purpose "…"',
  key: "name",
  ...fieldViews(senderIdFields),
};

export const groupView: RecordView = {
  one: "group",
  many: "groups",
  toCreate: "sendctl group create NAME",
  key: "id",
  ...fieldViews(groupFields),
};

export const integrationView: RecordView = {
  one: "integration",
  many: "integrations",
  toCreate: "sendctl local integration create NAME",
  key: "name",
  fields: {
    id: { label: "ID", column: number },
    name: { label: "Name", column: key },
    sender_ids_count: { label: "Sender IDs", column: number },
    groups_count: { label: "Groups", column: number },
    keys_count: { label: "Keys", column: number },
    created_at: { label: "Created", cell: timeCell, column: { optional: true } },
  },
  columns: ["id", "name", "sender_ids_count", "groups_count", "keys_count", "created_at"],
};

export const keyView: RecordView = {
  one: "key",
  many: "keys",
  toCreate: "sendctl local key create",
  key: "id",
  fields: {
    id: { label: "ID", column: number },
    integration: { label: "Integration", column: text },
    ending: { label: "Ends in" },
    secret_key: {
      label: "Secret key",
      cell: (value) => ({ text: textOf(value), isWhole: true }),
    },
    created_at: { label: "Created", cell: timeCell, column: { optional: true } },
  },
  columns: ["id", "integration", "ending", "created_at"],
};

export const profileView: RecordView = {
  one: "profile",
  many: "profiles",
  toCreate: "sendctl login",
  key: "name",
  fields: {
    name: { label: "Name", column: key },
    current: { label: "Current", cell: yesNoCell },
    mode: { label: "Mode" },
    base_url: { label: "Base URL", column: text },
    database: { label: "Database", column: { least: 10, optional: true } },
    key_ending: { label: "Key ends in" },
    protection: { label: "Protection" },
  },
  columns: ["name", "current", "mode", "base_url", "database", "key_ending"],
};

/** Returns the label and cell of a field. Unknown fields are labelled with their names. */
export function fieldCell(
  view: RecordView,
  field: string,
  value: unknown,
  times: TimeView,
): readonly [label: string, cell: Cell] {
  const known = Object.hasOwn(view.fields, field) ? view.fields[field] : undefined;
  const cell = known?.cell?.(value, times) ?? absentOr(value);
  return [known?.label ?? safeText(field), cell];
}

/** Returns the timestamp as sent by the service: `2026-01-31T08:00:00.000000Z`. */
export const timeAsSent: TimeView = (timestamp) => timestamp;

/** Returns local time to the second; a text that is not a plausible date, as sent. */
export const localTime: TimeView = (timestamp) => {
  const time = new Date(timestamp);
  if (!(time.getTime() >= firstTime)) return timestamp;
  return `${localDay(time.getTime())} ${time.toTimeString().slice(0, 8)}`;
};

/** Milliseconds since 1970. Times before this year are those of a clock that was not set. */
const firstTime = Date.UTC(2000, 0);
