import { operations, type Operation, type OperationName } from "./operations.ts";
import type { Envelope } from "./records.ts";
import type { BodyOf, groupFields, resources } from "./resources.ts";

/** A page asked for. Numbers, or the text of a query string as it came. */
export interface PageQuery {
  readonly perPage?: number | string;
  readonly page?: number | string;
}

export interface GroupFields extends BodyOf<typeof groupFields, "create"> {}

/** Fields that are left out keep their stored values; null clears: ruling 13. */
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

/** What an operation takes. Whoever carries it out checks a body that came from outside. */
type InputOf<One extends Operation> = InPath<One["path"]> & InQuery<One> & InBody<One>;

/** A record as the service shows it. */
export type ShownRecord = Readonly<Record<string, unknown>>;

/** What a caller knows already, which saves a remote service a read. The engine ignores it. */
interface Known {
  /** The record that is meant: another one of its name is left alone. */
  readonly "sender-id.delete": { readonly expected?: { readonly id: unknown } };
  /** The record as it was shown last. */
  readonly "group.update": { readonly known?: ShownRecord };
}

type KnownOf<Name extends OperationName> = Name extends keyof Known ? Known[Name] : unknown;

/** One response. A refusal by the service is a Reply too, not an exception. */
export interface Reply {
  /** HTTP status. */
  readonly status: number;
  /** The body exactly as it came, so that raw JSON stays raw. */
  readonly text: string;
  /** The body as parsed; undefined where it is no envelope. */
  readonly envelope: Envelope | undefined;
  /** In how many seconds the service asks to be left alone, where it refused for now. */
  readonly retryAfter?: number;
}

/** The service, remote or in this process: an operation that is missing does not compile. */
export type Service = {
  readonly [Name in OperationName]: (
    input: InputOf<(typeof operations)[Name]> & KnownOf<Name>,
  ) => Promise<Reply>;
};

/** One operation, whichever it is. */
export type OperationHandler = (input: never) => Promise<Reply>;

/** A service made operation by operation. */
export function serviceOf(make: (name: OperationName) => OperationHandler): Service {
  const names = Object.keys(operations) as OperationName[];
  return Object.fromEntries(names.map((name) => [name, make(name)])) as unknown as Service;
}

/** True where the service did what it was asked: a 2xx whose envelope says so. */
export function succeeded(reply: Reply): boolean {
  return reply.status >= 200 && reply.status < 300 && reply.envelope?.status === true;
}

/**
 * True where the service refused a request for a reason that lasts, such as a record that does not exist. How
 * other services say so is not known: by any 4xx but those of keys and rates, or by status false in a 2xx.
 */
export function isRefused({ status, envelope }: Reply): boolean {
  if (status >= 200 && status < 300) return envelope?.status === false;
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}
