import type { Behaviour } from "../contract/behaviour.ts";
import type { OperationName } from "../contract/operations.ts";

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

/** A parameter in words, and a typical value. */
interface ParameterText {
  readonly description: string;
  readonly example: string;
}

const groupIds: Readonly<Record<Behaviour["group_lookup"], ParameterText>> = {
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
  readonly name: ParameterText;
  readonly id: ParameterText;
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
