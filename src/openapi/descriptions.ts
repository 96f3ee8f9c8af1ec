import type { OperationName } from "../contract/operations.ts";
import type { groupFields, pageFields, senderIdFields } from "../contract/resources.ts";

/** What the OpenAPI document says in words: it is a document for people as well as for generators. */

export const title = "Sender IDs and groups";

export const introduction = [
  "Manages the sender IDs and groups of an integration of a bulk-SMS platform.",
  "",
  "Every response is an envelope: `status` is true for success, `message` is a short text, and `data` is the record, a page of records, or null. A refused request has `status` false, no data and, for invalid fields, `errors` with a list of texts for each field.",
  "",
  "This document describes the local engine of sendctl. Limits, defaults and error statuses are its own wherever the specification of the service leaves them open; another service may differ.",
].join("\n");

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

export const operationTexts: Readonly<
  Record<
    OperationName,
    { readonly id: string; readonly summary: string; readonly description: string }
  >
> = {
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
    description: "Creates a group without contacts. Names need not be unique.",
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
    description: "Changes the given fields of a group; the others keep their values.",
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
    name: { description: "The name of the group. It need not be unique.", example: "Customers" },
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

export const parameterTexts = {
  name: { description: "The name of the sender ID, percent-encoded.", example: "ACME" },
  id: { description: "The id of the group in decimal, or its uuid.", example: "1" },
  perPage: "The number of records on a page.",
  page: "The number of the page, counted from 1. A page past the end has no records.",
} as const;
