import type { OperationName } from "../../../src/contract/operations.ts";
import { bodies, faultsOf, pageAsked } from "./model-fields.ts";

/** What the service assigns to a record; the model takes it from the answer, and checks its form there. */
export interface Assigned {
  readonly id: number;
  readonly uuid: string;
  readonly created_at: string;
}

interface SenderId extends Omit<Assigned, "uuid"> {
  readonly integration: number;
  readonly name: string;
  readonly purpose: string;
}

interface Group extends Assigned {
  readonly integration: number;
  name: string;
  send_birthday: boolean;
  send_holiday: boolean | null;
  birthday_message: string | null;
  /** The id of the sender ID that it uses: never shown, ruling 14. */
  sender: number | null;
  contacts: number;
}

/** What the service has to answer: this very envelope, or a refusal that names these fields. */
export type Expected =
  | { readonly status: 200 | 201; readonly envelope: object }
  | { readonly status: 404 | 409 | 422; readonly fields: readonly string[] };

interface Asked {
  readonly integration: number;
  readonly name: string;
  readonly id: string;
  readonly body: unknown;
  readonly query: { readonly perPage?: unknown; readonly page?: unknown };
  /** Called where a record is to be made, and nowhere else. */
  readonly assigned: () => Assigned;
}

export interface Model {
  readonly senderIds: readonly SenderId[];
  readonly groups: readonly Group[];
  readonly answer: (operation: OperationName, asked: Asked) => Expected;
}

const notFound: Expected = { status: 404, fields: [] };
const invalid = (fields: readonly string[]): Expected => ({ status: 422, fields });
const done = (status: 200 | 201, message: string, data: unknown): Expected => ({
  status,
  envelope: { status: true, message, data },
});

function senderIdOnTheWire({ id, name, purpose, created_at }: SenderId): object {
  return { id, name, purpose, status: "PENDING", created_at };
}

function groupOnTheWire(group: Group, contacts?: number): object {
  const { id, uuid, name, send_birthday, send_holiday, birthday_message, created_at } = group;
  return {
    id,
    uuid,
    name,
    send_birthday,
    send_holiday,
    birthday_message,
    ...(contacts === undefined ? {} : { contacts_count: contacts }),
    created_at,
  };
}

function pageOf(message: string, records: readonly object[], query: Asked["query"]): Expected {
  const asked = pageAsked(query);
  if (!("page" in asked)) return invalid(asked);
  const { perPage, page } = asked;
  return done(200, message, {
    data: records.toReversed().slice((page - 1) * perPage, page * perPage),
    current_page: page,
    last_page: Math.max(1, Math.ceil(records.length / perPage)),
    per_page: perPage,
    total: records.length,
  });
}

/** The service as specification and rulings describe it, on two arrays that are in order of id. */
export function createModel(): Model {
  let senderIds: readonly SenderId[] = [];
  let groups: readonly Group[] = [];

  const senderIdOf = (integration: number, name: string): SenderId | undefined =>
    senderIds.find((one) => one.integration === integration && one.name === name);

  const groupOf = ({ integration, id }: Asked): Group | undefined =>
    groups.find(
      (one) =>
        one.integration === integration &&
        (String(one.id) === id || one.uuid.toUpperCase() === id.toUpperCase()),
    );

  /** Ruling 14: a name that looks like an id is a name first. */
  const senderOf = (integration: number, text: string): number | undefined =>
    senderIdOf(integration, text)?.id ??
    senderIds.find((one) => one.integration === integration && String(one.id) === text)?.id;

  const operations: Readonly<Record<OperationName, (asked: Asked) => Expected>> = {
    "sender-id.create": ({ integration, body, assigned }) => {
      const faults = faultsOf(body, bodies.senderIdCreate);
      if (faults.length > 0) return invalid(faults);
      const { name, purpose } = body as SenderId;
      if (senderIdOf(integration, name)) return { status: 409, fields: ["name"] };
      const { id, created_at } = assigned();
      const made: SenderId = { integration, id, name, purpose, created_at };
      senderIds = [...senderIds, made];
      return done(201, "Sender Id created", senderIdOnTheWire(made));
    },
    "sender-id.list": ({ integration, query }) => {
      const own = senderIds.filter((one) => one.integration === integration);
      return pageOf("Sender Ids retrieved", own.map(senderIdOnTheWire), query);
    },
    "sender-id.fetch": ({ integration, name }) => {
      const found = senderIdOf(integration, name);
      return found ? done(200, "Sender retrieved", senderIdOnTheWire(found)) : notFound;
    },
    "sender-id.delete": ({ integration, name }) => {
      const found = senderIdOf(integration, name);
      if (!found) return notFound;
      senderIds = senderIds.filter((one) => one !== found);
      for (const group of groups) if (group.sender === found.id) group.sender = null;
      return done(200, "Sender deleted", null);
    },
    "group.create": ({ integration, body, assigned }) => {
      const faults = faultsOf(body, bodies.groupCreate);
      if (faults.length > 0) return invalid(faults);
      const defaults = { send_birthday: false, send_holiday: null, birthday_message: null };
      const unseen = { integration, sender: null, contacts: 0 };
      const { id, uuid, created_at } = assigned();
      const made = { ...defaults, ...(body as Group), ...unseen, id, uuid, created_at };
      groups = [...groups, made];
      return done(201, "Group created", groupOnTheWire(made));
    },
    "group.list": ({ integration, query }) => {
      const own = groups.filter((one) => one.integration === integration);
      const listed = own.map((group) => groupOnTheWire(group, group.contacts));
      return pageOf("Groups retrieved", listed, query);
    },
    "group.fetch": (asked) => {
      const found = groupOf(asked);
      return found ? done(200, "Group retrieved", groupOnTheWire(found)) : notFound;
    },
    "group.update": (asked) => {
      const faults = faultsOf(asked.body, bodies.groupUpdate);
      if (faults.length > 0) return invalid(faults);
      const found = groupOf(asked);
      if (!found) return notFound;
      const { sender_id, ...changes } = asked.body as { readonly sender_id?: string | null };
      const sender = sender_id == null ? sender_id : senderOf(asked.integration, sender_id);
      if (typeof sender_id === "string" && sender === undefined) return invalid(["sender_id"]);
      Object.assign(found, changes, sender === undefined ? {} : { sender });
      return done(200, "Group updated", groupOnTheWire(found));
    },
    "group.delete": (asked) => {
      const found = groupOf(asked);
      if (!found) return notFound;
      groups = groups.filter((one) => one !== found);
      return done(200, "Group deleted", null);
    },
  };

  return {
    get senderIds() {
      return senderIds;
    },
    get groups() {
      return groups;
    },
    answer: (operation, asked) => operations[operation](asked),
  };
}
