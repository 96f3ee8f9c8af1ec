import { operations, type OperationName } from "./operations.ts";
import type { Envelope } from "./records.ts";

/** A page asked for. Numbers, or the text of a query string as it came. */
export interface PageQuery {
  readonly perPage?: number | string;
  readonly page?: number | string;
}

export interface SenderIdFields {
  readonly name: string;
  readonly purpose: string;
}

export interface GroupFields {
  readonly name: string;
  readonly send_birthday?: boolean;
  readonly birthday_message?: string | null;
}

/** Omitted members keep their stored values; null clears: ruling 13. */
export interface GroupChanges {
  readonly name?: string;
  readonly send_birthday?: boolean;
  readonly send_holiday?: boolean | null;
  readonly birthday_message?: string | null;
  /** The name of a sender ID, or its id in decimal: ruling 14. */
  readonly sender_id?: string | null;
}

type ByName = { readonly path: { readonly name: string } };
type ById = { readonly path: { readonly id: string } };

/** What each operation takes. A body that came from outside is checked by whoever answers. */
interface Inputs {
  "sender-id.create": { readonly body: SenderIdFields };
  "sender-id.list": { readonly query: PageQuery };
  "sender-id.fetch": ByName;
  "sender-id.delete": ByName;
  "group.create": { readonly body: GroupFields };
  "group.list": { readonly query: PageQuery };
  "group.fetch": ById;
  "group.update": ById & { readonly body: GroupChanges };
  "group.delete": ById;
}

/** One answer. A refusal by the service is a Reply too, not an exception. */
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

/** The service, whoever answers for it: an operation that is missing does not compile. */
export type Service = {
  readonly [Name in OperationName]: (input: Inputs[Name]) => Promise<Reply>;
};

/** One operation, whichever it is. */
export type Answering = (input: never) => Promise<Reply>;

/** A service made operation by operation. */
export function serviceOf(make: (name: OperationName) => Answering): Service {
  const names = Object.keys(operations) as OperationName[];
  return Object.fromEntries(names.map((name) => [name, make(name)])) as unknown as Service;
}

/** True where the service did what it was asked: a 2xx whose envelope says so. */
export function succeeded(reply: Reply): boolean {
  return reply.status >= 200 && reply.status < 300 && reply.envelope?.status === true;
}
