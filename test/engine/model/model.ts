import type { OperationName } from "../../../src/contract/operations.ts";
import { bodies, invalidFields, requestedPage } from "./model-fields.ts";

/**
 * The values that the service assigns to a record. The model takes them from the reply, whose
 * format is checked there.
 */
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
  /** The id of its sender ID, which the API never returns (ruling 14). */
  sender: number | null;
  contacts: number;
}

/** The expected reply: exactly this envelope, or an error that names these fields. */
export type Expected =
  | { readonly status: 200 | 201; readonly envelope: object }
  | { readonly status: 404 | 409 | 422; readonly fields: readonly string[] };

interface ModelRequest {
  readonly integration: number;
  readonly name: string;
  readonly id: string;
  readonly body: unknown;
  readonly query: { readonly perPage?: unknown; readonly page?: unknown };
  /** Returns the assigned values; called only when a record is created. */
  readonly assigned: () => Assigned;
}

export interface Model {
  readonly senderIds: readonly SenderId[];
  readonly groups: readonly Group[];
  readonly respond: (operation: OperationName, request: ModelRequest) => Expected;
}

const notFound: Expected = { status: 404, fields: [] };
const invalid = (fields: readonly string[]): Expected => ({ status: 422, fields });
const done = (status: 200 | 201, message: string, data: unknown): Expected => ({
  status,
  envelope: { status: true, message, data },
});

function senderIdResponse({ id, name, purpose, created_at }: SenderId): object {
  return { id, name, purpose, status: "PENDING", created_at };
}

function groupResponse(group: Group, contacts?: number): object {
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

function pageOf(
  message: string,
  records: readonly object[],
  query: ModelRequest["query"],
): Expected {
  const requested = requestedPage(query);
  if (!("page" in requested)) return invalid(requested);
  const { perPage, page } = requested;
  return done(200, message, {
    data: records.toReversed().slice((page - 1) * perPage, page * perPage),
    current_page: page,
    last_page: Math.max(1, Math.ceil(records.length / perPage)),
    per_page: perPage,
    total: records.length,
  });
}

/**
 * Creates a model of the service as the specification and the rulings describe it, with two arrays
 * in order of id.
 */
export function createModel(): Model {
  let senderIds: readonly SenderId[] = [];
  let groups: readonly Group[] = [];

  const senderIdOf = (integration: number, name: string): SenderId | undefined =>
    senderIds.find((one) => one.integration === integration && one.name === name);

  const groupOf = ({ integration, id }: ModelRequest): Group | undefined =>
    groups.find(
      (one) =>
        one.integration === integration &&
        (String(one.id) === id || one.uuid.toUpperCase() === id.toUpperCase()),
    );

  /** Ruling 14: a text that matches both a name and an id is treated as the name. */
  const senderOf = (integration: number, text: string): number | undefined =>
    senderIdOf(integration, text)?.id ??
    senderIds.find((one) => one.integration === integration && String(one.id) === text)?.id;

  const operations: Readonly<Record<OperationName, (request: ModelRequest) => Expected>> = {
    "sender-id.create": ({ integration, body, assigned }) => {
      const errors = invalidFields(body, bodies.senderIdCreate);
      if (errors.length > 0) return invalid(errors);
      const { name, purpose } = body as SenderId;
      if (senderIdOf(integration, name)) return { status: 409, fields: ["name"] };
      const { id, created_at } = assigned();
      const created: SenderId = { integration, id, name, purpose, created_at };
      senderIds = [...senderIds, created];
      return done(201, "Sender Id created", senderIdResponse(created));
    },
    "sender-id.list": ({ integration, query }) => {
      const listed = senderIds.filter((one) => one.integration === integration);
      return pageOf("Sender Ids retrieved", listed.map(senderIdResponse), query);
    },
    "sender-id.fetch": ({ integration, name }) => {
      const found = senderIdOf(integration, name);
      return found ? done(200, "Sender retrieved", senderIdResponse(found)) : notFound;
    },
    "sender-id.delete": ({ integration, name }) => {
      const found = senderIdOf(integration, name);
      if (!found) return notFound;
      senderIds = senderIds.filter((one) => one !== found);
      for (const group of groups) if (group.sender === found.id) group.sender = null;
      return done(200, "Sender deleted", null);
    },
    "group.create": ({ integration, body, assigned }) => {
      const errors = invalidFields(body, bodies.groupCreate);
      if (errors.length > 0) return invalid(errors);
      const defaults = { send_birthday: false, send_holiday: null, birthday_message: null };
      const hidden = { integration, sender: null, contacts: 0 };
      const { id, uuid, created_at } = assigned();
      const created = { ...defaults, ...(body as Group), ...hidden, id, uuid, created_at };
      groups = [...groups, created];
      return done(201, "Group created", groupResponse(created));
    },
    "group.list": ({ integration, query }) => {
      const own = groups.filter((one) => one.integration === integration);
      const listed = own.map((group) => groupResponse(group, group.contacts));
      return pageOf("Groups retrieved", listed, query);
    },
    "group.fetch": (request) => {
      const found = groupOf(request);
      return found ? done(200, "Group retrieved", groupResponse(found)) : notFound;
    },
    "group.update": (request) => {
      const errors = invalidFields(request.body, bodies.groupUpdate);
      if (errors.length > 0) return invalid(errors);
      const found = groupOf(request);
      if (!found) return notFound;
      const { sender_id, ...changes } = request.body as { readonly sender_id?: string | null };
      const sender = sender_id == null ? sender_id : senderOf(request.integration, sender_id);
      if (typeof sender_id === "string" && sender === undefined) return invalid(["sender_id"]);
      Object.assign(found, changes, sender === undefined ? {} : { sender });
      return done(200, "Group updated", groupResponse(found));
    },
    "group.delete": (request) => {
      const found = groupOf(request);
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
    respond: (operation, request) => operations[operation](request),
  };
}
