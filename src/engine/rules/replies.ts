import { ownBehaviour } from "../../contract/behaviour.ts";
import { operations, type OperationName } from "../../contract/operations.ts";
import { type Envelope, type Page, envelopeOf } from "../../contract/envelope.ts";
import type { FieldErrors, RefusalCause, Refuse } from "./refusal.ts";
import type { Reply } from "../../contract/service.ts";
import { refusing } from "./refusing.ts";
import type { Slice } from "../store/store.ts";

function reply(
  status: number,
  body: unknown,
  envelope: Envelope | undefined,
  cursor?: string,
): Reply {
  let text: string | undefined;
  return {
    status,
    // Lazy, because a search through a million records needs the text of only a few pages.
    get text() {
      return (text ??= JSON.stringify(body));
    },
    envelope,
    cursor,
  };
}

/** Returns the success reply of a command that is not an operation of the service. */
export function doneWith(status: number, message: string, data: unknown): Reply {
  const envelope = { status: true, message, data };
  return reply(status, envelope, envelope);
}

/** Returns the success reply of an operation, with the message of the contract. @param status default: its own */
export function done(
  operation: OperationName,
  data: unknown,
  status: number = operations[operation].status,
): Reply {
  return doneWith(status, operations[operation].message, data);
}

/** Converts a slice to a page (specification, part 2, and ruling 19). */
export function pageOf<Stored, Item>(
  { items, total }: Slice<Stored>,
  { perPage, page }: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
): Page<Item> {
  return {
    data: items.map((item) => record(item)),
    current_page: page,
    last_page: Math.max(1, Math.ceil(total / perPage)),
    per_page: perPage,
    total,
  };
}

/** Replies of slices that a store caches. A slice never changes, so neither does its reply. */
const replies = new WeakMap<Slice<unknown>, Reply>();

/** Longer pages are mostly read once by `--all`, and their replies would fill the memory. */
const maxCachedItems = 100;

/**
 * Returns the reply of a list. The same slice always stands for the same page.
 *
 * @param cursor selects the records after the page
 */
export function listed<Stored, Item>(
  operation: OperationName,
  slice: Slice<Stored>,
  page: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
  cursor?: string,
): Reply {
  const cached = replies.get(slice);
  // If the cursor of a request was ignored, its response has none, unlike others with the same slice.
  if (cached !== undefined && cached.cursor === cursor) return cached;
  const { status, message } = operations[operation];
  const envelope = { status: true, message, data: pageOf(slice, page, record) };
  const listing = reply(status, envelope, envelope, cursor);
  if (slice.items.length <= maxCachedItems) replies.set(slice, listing);
  return listing;
}

/** The refusals of operations, in the form of a behaviour. */
export interface Refusals {
  readonly invalid: (errors: FieldErrors) => Reply;
  /** @param what kind of record, such as "Sender ID" @param key requested name or id */
  readonly notFound: (what: string, key: string) => Reply;
  /** @param what kind of record, such as "Sender ID" */
  readonly nameTaken: (what: string, name: string) => Reply;
}

/** Returns the refusals of a service. */
export function refusalsBy(refuse: Refuse): Refusals {
  const refused = (cause: RefusalCause, message: string, errors?: FieldErrors): Reply => {
    const { status, body, contentType } = refuse(cause, message, errors);
    const shaped = reply(status, body, envelopeOf(body));
    return contentType === undefined ? shaped : { ...shaped, contentType };
  };
  return {
    invalid: (errors) => refused("invalid", "The request is invalid", errors),
    notFound: (what, key) => refused("not_found", `${what} not found: ${key}`),
    nameTaken: (what, name) =>
      refused("taken", `${what} already exists: ${name}`, { name: ["is taken"] }),
  };
}

/** The refusals of commands that are not operations of the service. */
export const { invalid, notFound, nameTaken } = refusalsBy(refusing(ownBehaviour));
