import type { Behaviour } from "../contract/behaviour.ts";
import type { OperationName } from "../contract/operations.ts";
import type { groupFields, pageFields, senderIdFields } from "../contract/resources.ts";

/** What the OpenAPI document says in words: it is a document for people as well as for generators. */

export const title = "Sender IDs and groups";

/** Where refusals are described: ruling 2. */
const refusalTexts: Readonly<Record<Behaviour["error_body"], string>> = {
  envelope:
    "A refused request has `status` false, no data and, for invalid fields, `errors` with a list of texts for each field.",
  message: "The body of a refused request has a `message`.",
  errors_by_field:
    "The body of a refused request has a `message` and, for invalid fields, `errors` with a list of texts for each field.",
  error: "The body of a refused request has a text, `error`.",
  error_message: "The body of a refused request has an object, `error`, with a `message`.",
  problem: "A refused request returns problem details: RFC 9457.",
};

export function introduction({ error_body, error_status }: Behaviour): string {
  const isEnvelope = error_body === "envelope";
  const subject = isEnvelope ? "Every response" : "The response of every successful request";
  const always = " The HTTP status of refused requests is 200, and `status` is false.";
  return [
    "Manages the sender IDs and groups of an integration of a bulk-SMS platform.",
    "",
    `${subject} is an envelope: \`status\` is true for success, \`message\` is a short text, and \`data\` is the record, a page of records, or null. ${refusalTexts[error_body]}${error_status === "always_200" ? always : ""}`,
    "",
    "This document describes the local engine of sendctl. Limits, defaults and error statuses are its own wherever the specification of the service leaves them open; another service may differ.",
  ].join("\n");
}

export const tags = {
  "sender-id": {
    name: "Sender IDs",
    description:
      "Named sender identities. Each has a purpose and a review status: messages can be sent under an approved one.",
  },
  group: {
    name: "Groups",
    description: "Named collections of contacts, with settings for birthday and holiday messages.",
  },
} as const;

/** The header under `components`. */
export const requestIdHeader = {
  description:
    "Names the request in the log of the server. A client may send one of its own: 1 to 128 letters, digits and `._~:+/=-`. The server replaces any other.",
  schema: { type: "string", minLength: 1, maxLength: 128 },
  example: "2l9gq7yqof-1",
};

interface OperationText {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
}

/** Returns what the operations of a service do: rulings 7 and 13. */
export function operationTexts(
  behaviour: Behaviour,
): Readonly<Record<OperationName, OperationText>> {
  const { group_name_unique, omitted_in_update } = behaviour;
  const names = group_name_unique ? "Its name must be unique." : "Names need not be unique.";
  const others =
    omitted_in_update === "kept"
      ? "the others keep their values"
      : "the others, except the name, get the values of a new group";
  const { "group.create": create, "group.update": update } = ownTexts;
  return {
    ...ownTexts,
    "group.create": { ...create, description: `${create.description} ${names}` },
    "group.update": { ...update, description: `${update.description}; ${others}.` },
  };
}

const ownTexts: Readonly<Record<OperationName, OperationText>> = {
  "sender-id.create": {
    id: "createSenderId",
    summary: "Create a sender ID",
    description:
      "Creates a sender ID. A review has to approve it before messages can be sent under it.",
  },
  "sender-id.list": {
    id: "listSenderIds",
    summary: "List sender IDs",
    description: "Returns a page of the integration's sender IDs, newest first.",
  },
  "sender-id.fetch": {
    id: "fetchSenderId",
    summary: "Fetch a sender ID",
    description: "Returns the sender ID with a name. Names are compared exactly.",
  },
  "sender-id.delete": {
    id: "deleteSenderId",
    summary: "Delete a sender ID",
    description: "Deletes a sender ID. Groups that use it lose their sender ID.",
  },
  "group.create": {
    id: "createGroup",
    summary: "Create a group",
    description: "Creates a group without contacts.",
  },
  "group.list": {
    id: "listGroups",
    summary: "List groups",
    description:
      "Returns a page of the integration's groups, newest first, each with its number of contacts.",
  },
  "group.fetch": {
    id: "fetchGroup",
    summary: "Fetch a group",
    description: "Returns a group, without its number of contacts.",
  },
  "group.update": {
    id: "updateGroup",
    summary: "Update a group",
    description: "Changes the given fields of a group",
  },
  "group.delete": {
    id: "deleteGroup",
    summary: "Delete a group",
    description: "Deletes a group and its contacts.",
  },
};

/** A field in words, and a typical value. */
interface FieldText {
  readonly description: string;
  readonly example: string | number | boolean;
}

const createdAt: FieldText = {
  description: "When the record was created, in UTC with microseconds.",
  example: "2026-01-31T08:00:00.000000Z",
};

export const fieldTexts: {
  readonly "sender-id": Readonly<Record<keyof typeof senderIdFields, FieldText>>;
  readonly group: Readonly<Record<keyof typeof groupFields, FieldText>>;
} = {
  "sender-id": {
    id: { description: "Assigned by the service.", example: 1 },
    name: { description: "The name that recipients see. It is unique.", example: "ACME" },
    purpose: {
      description: "What the sender ID is used for, for its review.",
      example: "Order updates",
    },
    status: { description: "The state of its review.", example: "PENDING" },
    created_at: createdAt,
  },
  group: {
    id: { description: "Assigned by the service.", example: 1 },
    uuid: {
      description: "Assigned by the service.",
      example: "123e4567-e89b-12d3-a456-426614174000",
    },
    name: { description: "The name of the group.", example: "Customers" },
    send_birthday: {
      description: "Whether contacts get a message on their birthday.",
      example: true,
    },
    send_holiday: {
      description: "Whether contacts get messages on holidays; null until it is decided.",
      example: false,
    },
    birthday_message: {
      description:
        "The text of birthday messages; null if there is none. `{first_name}` is replaced with the contact's first name.",
      example: "Happy birthday, {first_name}!",
    },
    sender_id: {
      description:
        "The sender ID under which the group's messages are sent, by name or by id in decimal; null for none. No response returns it.",
      example: "ACME",
    },
    contacts_count: { description: "The number of contacts in the group.", example: 12 },
    created_at: createdAt,
  },
};

export const pageTexts: Readonly<Record<keyof typeof pageFields, FieldText>> = {
  current_page: { description: "The number of this page, counted from 1.", example: 1 },
  last_page: { description: "The number of the last page; 1 for an empty list.", example: 1 },
  per_page: { description: "The page size that was applied.", example: 15 },
  total: { description: "The number of records on all pages.", example: 1 },
};

const groupIds: Readonly<Record<Behaviour["group_lookup"], FieldText>> = {
  id_or_uuid: { description: "The id of the group in decimal, or its uuid.", example: "1" },
  id: { description: "The id of the group in decimal.", example: "1" },
  uuid: { description: "The uuid of the group.", example: "123e4567-e89b-12d3-a456-426614174000" },
};

const pastTheEnd: Readonly<Record<Behaviour["past_the_end"], string>> = {
  empty: "A page past the end has no records.",
  refused: "A page past the end is refused.",
  last: "For a page past the end, the last page is returned.",
};

/** Returns what the parameters of a service mean: rulings 19 and 20. */
export function parameterTexts(behaviour: Behaviour): {
  readonly name: FieldText;
  readonly id: FieldText;
  readonly perPage: string;
  readonly page: string;
} {
  return {
    name: { description: "The name of the sender ID, percent-encoded.", example: "ACME" },
    id: groupIds[behaviour.group_lookup],
    perPage: "The number of records on a page.",
    page: `The number of the page, counted from 1. ${pastTheEnd[behaviour.past_the_end]}`,
  };
}
