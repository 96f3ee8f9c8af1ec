import { operations, type Operation, type OperationName } from "./operations.ts";
import type { Envelope } from "./envelope.ts";
import type { BodyOf, groupFields, resources } from "./resources.ts";

/** A requested page. Values are numbers, or unchecked text of a query string. */
export interface PageQuery {
  readonly perPage?: number | string;
  readonly page?: number | string;
  /** The cursor of the page before, which selects the next records. A service that does not know it uses `page`. */
  readonly cursor?: string;
  /** The name of the only records that will do. The embedded engine lists no other groups. It is not sent. */
  readonly name?: string;
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

/** The input of an operation. The types do not vouch for bodies from outside: the service checks them. */
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
 * The record that the caller means. A remote service, which may return another record than asked for, shows, changes and
 * deletes no record that differs from it. The engine ignores it, because its lookups are exact and its ids never reused.
 */
interface Expecting {
  readonly expected?: RecordIdentity | undefined;
}

type ExpectedOf<Name extends OperationName> =
  Name extends `${string}.${"fetch" | "update" | "delete"}` ? Expecting : unknown;

/** What is known of the paging of a service (rulings 18 and 19). */
export interface Paging {
  readonly page: "honoured" | "ignored" | "refused" | undefined;
  readonly pastTheEnd: "empty" | "refused" | "last" | undefined;
  /** The largest page size. */
  readonly maxSize: number | undefined;
}

/** One response. A refusal by the service is also a Reply, not an exception. */
export interface Reply {
  /** HTTP status. */
  readonly status: number;
  /** The unchanged body, for raw JSON output. */
  readonly text: string;
  /** The parsed body; undefined if it is not an envelope. */
  readonly envelope: Envelope | undefined;
  /** Seconds to wait before a retry, from Retry-After. */
  readonly retryAfter?: number;
  /** What the user can do about a refusal. */
  readonly hint?: string | undefined;
  /** The media type that a server sends it with (default: application/json). */
  readonly contentType?: string;
  /** What is known of the pages of a list. */
  readonly paging?: Paging;
  /** Selects the records after this page of a list; undefined if the service has no cursors or ignored the one sent. */
  readonly cursor?: string | undefined;
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

/** Returns whether an operation succeeded: HTTP 2xx and an envelope with status true. */
export function succeeded(reply: Reply): boolean {
  return reply.status >= 200 && reply.status < 300 && reply.envelope?.status === true;
}

/**
 * Returns whether the service refused a request for a permanent reason, such as a record that does not exist.
 * Services differ in how they refuse: with any 4xx (except those for keys and rate limits), or with status false
 * in a 2xx.
 */
export function isRefused({ status, envelope }: Reply): boolean {
  if (status >= 200 && status < 300) return envelope?.status === false;
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}
