import type { Behaviour } from "../../contract/behaviour.ts";
import type { OperationName } from "../../contract/operations.ts";

/** What the OpenAPI document says in words: it is a document for people as well as for generators. */

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

/** What the operations do. */
const operationTexts: Readonly<Record<OperationName, string>> = {
  "sender-id.create":
    "Creates a sender ID. A review has to approve it before messages can be sent under it.",
  "sender-id.list": "Returns a page of the integration's sender IDs, newest first.",
  "sender-id.fetch": "Returns the sender ID with a name. Names are compared exactly.",
  "sender-id.delete": "Deletes a sender ID. Groups that use it lose their sender ID.",
  "group.create": "Creates a group without contacts.",
  "group.list":
    "Returns a page of the integration's groups, newest first, each with its number of contacts.",
  "group.fetch": "Returns a group, without its number of contacts.",
  "group.update": "Changes the given fields of a group",
  "group.delete": "Deletes a group and its contacts.",
};

/** Returns what an operation of a service does: rulings 7 and 13. */
export function operationText(
  name: OperationName,
  { group_name_unique, omitted_in_update }: Behaviour,
): string {
  const text = operationTexts[name];
  if (name === "group.create") {
    return `${text} ${group_name_unique ? "Its name must be unique." : "Names need not be unique."}`;
  }
  if (name !== "group.update") return text;
  return omitted_in_update === "kept"
    ? `${text}; the others keep their values.`
    : `${text}; the others, except the name, get the values of a new group.`;
}
