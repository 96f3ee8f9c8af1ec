import type { Script } from "./scripted-service.ts";

/** Records and responses of a well-behaved service. */

export const senderId = {
  id: 7,
  name: "ACME",
  purpose: "Order updates",
  status: "PENDING",
  created_at: "2026-01-31T08:00:00.000000Z",
};

export const group = {
  id: 12,
  uuid: "00000000-0000-4000-8000-000000000000",
  name: "Customers",
  send_birthday: true,
  send_holiday: null,
  birthday_message: null,
  created_at: "2026-01-31T08:00:00.000000Z",
};

export function envelope(data: unknown, message = "Done"): object {
  return { status: true, message, data };
}

/** Returns the data of a list: one page with all records, unless `numbers` overrides its fields. */
export function page(records: readonly unknown[], numbers: object = {}): object {
  const count = records.length;
  return {
    data: records,
    current_page: 1,
    last_page: 1,
    per_page: count,
    total: count,
    ...numbers,
  };
}

/** Returns a script that responds to every request in the same way. */
export function answering(status: number, ...response: Answer): Script {
  return (_, { respond }) => respond(status, ...response);
}

type Answer = readonly [body?: unknown, headers?: Readonly<Record<string, string>>];

/** One command for each kind of request. */
export const commands = {
  GET: ["group", "fetch", "12"],
  PUT: ["group", "update", "12", "--name", "Customers"],
  DELETE: ["group", "delete", "12", "--yes"],
  POST: ["group", "create", "Customers"],
  "POST sender-id": ["sender-id", "create", "ACME", "--purpose", "Order updates"],
} as const;

export type Way = keyof typeof commands;

/** Responds to the reads before and after a write, and passes other requests to a script without counting the reads. */
function afterReads(script: Script): Script {
  let reads = 0;
  return (received, conversation) => {
    if (received.method !== "GET") {
      return script(received, { ...conversation, index: conversation.index - reads });
    }
    reads += 1;
    return conversation.respond(200, envelope(group));
  };
}

/** Returns a script for the main request of a command. An update and a delete read the record, too. */
export function scriptFor(way: Way, script: Script): Script {
  return way === "PUT" || way === "DELETE" ? afterReads(script) : script;
}
