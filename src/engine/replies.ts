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
    // A search through a million records needs the text of few pages.
    get text() {
      return (text ??= JSON.stringify(envelope));
    },
    envelope,
  };
}

/** What was done, and is no operation of the service. */
export function doneWith(status: 200 | 201, message: string, data: unknown): Reply {
  return reply(status, { status: true, message, data });
}

/** The answer of an operation that was done: its status and message are the contract's. */
export function done(operation: OperationName, data: unknown): Reply {
  const { status, message } = operations[operation];
  return doneWith(status, message, data);
}

/** A page of a slice, each item as the wire has it: specification, part 2, and ruling 19. */
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

/** Of slices that a store keeps: the answer is the same as long as they are. */
const answers = new WeakMap<Slice<unknown>, Reply>();

/** Long ones are read once, by whoever wants all: an answer each would stay until all memory is searched. */
const maxCachedItems = 100;

/** The answer that shows a page. A slice that a store gives out again is of the same page. */
export function listed<Stored, Item>(
  operation: OperationName,
  slice: Slice<Stored>,
  page: { readonly perPage: number; readonly page: number },
  record: (stored: Stored) => Item,
): Reply {
  const known = answers.get(slice);
  if (known !== undefined) return known;
  const answer = done(operation, pageOf(slice, page, record));
  if (slice.items.length <= maxCachedItems) answers.set(slice, answer);
  return answer;
}

/** A list that is never so long that it needs pages. */
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

/** @param what "Sender ID", say @param key the name or id asked for */
export function notFound(what: string, key: string): Reply {
  return refused(refusals.notFound, `${what} not found: ${key}`);
}

/** @param what "Sender ID", say */
export function nameTaken(what: string, name: string): Reply {
  return refused(refusals.conflict, `${what} already exists: ${name}`, { name: ["is taken"] });
}
