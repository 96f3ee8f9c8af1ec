import { type Operation, type OperationName, operations } from "./operations.ts";
import type {
  BodyOf,
  RecordOf,
  groupFields,
  pageFields,
  resources,
  senderIdFields,
} from "./resources.ts";
import { hasLongNumber, readJson } from "../core/json-text.ts";

/** A requested page. Values are numbers, or unchecked text of a query string. */
export interface PageQuery {
  readonly perPage?: number | string;
  readonly page?: number | string;
  /** Cursor of the page before: selects the next records. Services without it use `page`. */
  readonly cursor?: string;
  /** Whether a page smaller than `perPage` will do, too. It is not sent. */
  readonly acceptsSmaller?: boolean;
}

export interface GroupFields extends BodyOf<typeof groupFields, "create"> {}

/** Omitted fields keep their stored values, and null clears a field (ruling 13). */
export interface GroupChanges extends BodyOf<typeof groupFields, "update"> {}

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never;

type InPath<Path extends string> = [PathParameters<Path>] extends [never]
  ? unknown
  : { readonly path: { readonly [Name in PathParameters<Path>]: string } };

type InQuery<One extends Operation> = One extends { readonly query: readonly string[] }
  ? { readonly query: PageQuery }
  : unknown;

type InBody<One extends Operation> = One extends {
  readonly body: infer By extends "create" | "update";
}
  ? { readonly body: BodyOf<(typeof resources)[One["resource"]], By> }
  : unknown;

/** The input of an operation. Bodies from outside may have other types: the service checks them. */
type InputOf<One extends Operation> = InPath<One["path"]> & InQuery<One> & InBody<One>;

/** A record as the service returns it. */
export type ShownRecord = Readonly<Record<string, unknown>>;

/** The fields that identify a record. */
export interface RecordIdentity {
  readonly id?: unknown;
  readonly uuid?: unknown;
  readonly name?: unknown;
  readonly created_at?: unknown;
}

/**
 * The record that the caller means. A remote service, which may return another record than asked
 * for, shows, changes and deletes no record that differs from it. The engine ignores it, because
 * its lookups are exact and its ids never reused.
 */
export interface Expecting {
  readonly expected?: RecordIdentity | undefined;
  /** Whether a fetch must show this user's recent writes, because it decides something. */
  readonly isCurrent?: boolean;
  /** Called with the record as a remote service showed it before an update or a delete. */
  readonly onRead?: ((before: ShownRecord) => void) | undefined;
}

/** What the caller of a create knows of the records before it. */
export interface CreateContext {
  /** Returns whether a record existed before: by the list that was read, else by its time. */
  readonly existed?: ((record: ShownRecord) => boolean) | undefined;
}

type ExpectedOf<Name extends OperationName> =
  Name extends `${string}.${"fetch" | "update" | "delete"}`
    ? Expecting
    : Name extends `${string}.create`
      ? CreateContext
      : unknown;

/** One response. A refusal by the service is also a Reply, not an exception. */
export interface Reply {
  /** HTTP status. */
  readonly status: number;
  /** The unchanged body, for raw JSON output. */
  readonly text: string;
  /** The parsed body; undefined if it is not an envelope. */
  readonly envelope: Envelope | undefined;
  /**
   * Headers by their names: those that the engine's server sends, and those that the client has
   * read, with Retry-After in seconds.
   */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The service, remote or in this process. A missing operation does not compile. */
export type Service = {
  readonly [Name in OperationName]: (
    input: InputOf<(typeof operations)[Name]> & ExpectedOf<Name>,
  ) => Promise<Reply>;
};

/** Any one operation. */
export type OperationHandler = (input: never) => Promise<Reply>;

/** Builds a service from a handler for each operation. */
export function serviceOf(create: (name: OperationName) => OperationHandler): Service {
  const names = Object.keys(operations) as OperationName[];
  return Object.fromEntries(names.map((name) => [name, create(name)])) as unknown as Service;
}

/** Returns the seconds after which to repeat a request; undefined if the response has none. */
export function retryAfter({ headers }: Pick<Reply, "headers">): number | undefined {
  const seconds = headers?.["Retry-After"];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Returns whether an operation succeeded: HTTP 2xx and an envelope with status true. */
export function succeeded(reply: Reply): boolean {
  return reply.status >= 200 && reply.status < 300 && reply.envelope?.status === true;
}

/**
 * Returns whether the service refused a request for a permanent reason, such as a record that does
 * not exist. Services differ in how they refuse: with any 4xx (except those for keys and rate
 * limits), or with status false in a 2xx.
 */
export function isRefused({ status, envelope }: Reply): boolean {
  if (status >= 200 && status < 300) return envelope?.status === false;
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

/**
 * Returns whether a refusal says that a record does not exist: certainly with 404 or 410 in an
 * envelope; perhaps with another body, which may be that of a gateway, or with a success status,
 * which services use for any refusal.
 */
export function isAbsence({ status, envelope }: Reply): boolean | "perhaps" {
  const isRefusal = envelope?.status === false;
  if (status === 404 || status === 410) return isRefusal ? true : "perhaps";
  return status >= 200 && status < 300 && isRefusal ? "perhaps" : false;
}

/**
 * Responses of the service: see "The interface" in docs/behaviour.md. A remote service may send
 * further fields, which are printed but never relied on.
 */

/** A response of the service, or the result of a command that is not one of its operations. */
export interface Envelope<Data = unknown> {
  readonly status: boolean;
  readonly message: string;
  readonly data: Data;
  /** Errors by field (ruling 2). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** The `data` of a list response. Pages are numbered from 1. */
export interface Page<Item> extends RecordOf<typeof pageFields> {
  readonly data: readonly Item[];
  /** Set if the service does not say how many records it has: there are at least `total`. */
  readonly isTotalAtLeast?: true | undefined;
}

export interface SenderId extends RecordOf<typeof senderIdFields> {}

/** Only lists have `contacts_count`; `group fetch` adds it if it costs no request. */
export interface Group extends RecordOf<typeof groupFields> {}

/** Returns a list as a single page. */
export function onePage<Item>(data: readonly Item[]): Page<Item> {
  return { data, ...onePageNumbers(data.length) };
}

/** Returns the numbers of a list on a single page. */
export function onePageNumbers(count: number): Omit<Page<never>, "data"> {
  return { current_page: 1, last_page: 1, per_page: count, total: count };
}

/**
 * Parses JSON from outside, with integers too long for a double as BigInt, so that no digits are
 * lost. Returns undefined for text that is not JSON or exceeds the limits.
 */
export async function parseJson(text: string): Promise<unknown> {
  const value = readJson(text);
  if (value === undefined || !hasLongNumber(text)) return value;
  try {
    const { isSafeNumber, parse: parseLossless } = await import("lossless-json");
    return parseLossless(text, undefined, {
      parseNumber: (digits) =>
        isSafeNumber(digits) || !/^-?\d+$/.test(digits) ? Number(digits) : BigInt(digits),
    });
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a count, which some services write as decimal text; undefined for other values. */
export function readCount(value: unknown): number | undefined {
  const isText = typeof value === "string" && /^(?:0|[1-9]\d{0,14})$/.test(value);
  const count = isText ? Number(value) : value;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

/** Reads a boolean, which a service may write as 1 or 0; undefined for other values. */
export function readBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : undefined;
}

/** Returns the envelope of a body. A refusal may lack `message` and `data`. */
export function envelopeOf(body: unknown): Envelope | undefined {
  if (!isObject(body)) return undefined;
  const { message, data } = body;
  const isText = typeof message === "string";
  const status = readBoolean(body["status"]);
  if (status === false)
    return { ...body, status, message: isText ? message : "", data: data ?? null };
  return status && isText && "data" in body ? { ...body, status, message, data } : undefined;
}

/**
 * Returns the id or the name of the sender ID that a group shows, as text, and null for none;
 * undefined if it shows none. Some services show its record.
 */
export function shownSenderId({ sender_id: shown }: ShownRecord): string | null | undefined {
  const id = isObject(shown) ? (shown["id"] ?? shown["name"]) : shown;
  if (id === null) return null;
  const isText = typeof id === "string" || typeof id === "number" || typeof id === "bigint";
  return isText ? String(id) : undefined;
}
