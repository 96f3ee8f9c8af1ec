import { operations, type OperationName } from "../contract/operations.ts";
import type { Envelope, Page } from "../contract/records.ts";
import type { Reply } from "../contract/service.ts";
import type { FieldErrors } from "./validation.ts";
import { refusals } from "./rulings.ts";
import type { Slice } from "./store.ts";

function reply(status: number, envelope: Envelope): Reply {
  let text: string | undefined;
  return {
    status,
    // Lazy, because a search through a million records needs the text of only a few pages.
    get text() {
      return (text ??= JSON.stringify(envelope));
    },
    envelope,
  };
}

/** Returns the success reply of a command that is not an operation of the service. */
export function doneWith(status: 200 | 201, message: string, data: unknown): Reply {
  return reply(status, { status: true, message, data });
}

/** Returns the success reply of an operation, with the status and message of the contract. */
export function done(operation: OperationName, data: unknown): Reply {
  const { status, message } = operations[operation];
  return doneWith(status, message, data);
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

/** Returns the reply of a list. The same slice always stands for the same page. */
export function listed<Stored, Item>(
  operation: OperationName,
  slice: Slice<Stored>,
  page: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
): Reply {
  const cached = replies.get(slice);
  if (cached !== undefined) return cached;
  const reply = done(operation, pageOf(slice, page, record));
  if (slice.items.length <= maxCachedItems) replies.set(slice, reply);
  return reply;
}

/** Returns a short list as a single page. */
export function wholePage<Item>(data: readonly Item[]): Page<Item> {
  const count = data.length;
  return { data, current_page: 1, last_page: 1, per_page: count, total: count };
}

function refused(status: number, message: string, errors?: FieldErrors): Reply {
  return reply(status, {
    status: false,
    message,
    data: null,
    ...(errors === undefined ? {} : { errors }),
  });
}

export function invalid(errors: FieldErrors): Reply {
  return refused(refusals.invalid, "The request is invalid", errors);
}

/** @param what kind of record, such as "Sender ID" @param key requested name or id */
export function notFound(what: string, key: string): Reply {
  return refused(refusals.notFound, `${what} not found: ${key}`);
}

/** @param what kind of record, such as "Sender ID" */
export function nameTaken(what: string, name: string): Reply {
  return refused(refusals.conflict, `${what} already exists: ${name}`, { name: ["is taken"] });
}
