import { decimalId, uuidPattern } from "./manifest.ts";
import { secretVariable, variableName } from "./variables.ts";

/** A variable that a manifest may name. */
const variable = `\\$\\{(?!${secretVariable}\\})${variableName}\\}`;

/** A text in which every \`\${\` is one of a variable, or a literal one. */
const text = `^(?:\\$\\$\\{|${variable}|\\$(?!\\$?\\{)|[^$])*$`;

/** A text that names a variable, whatever else is in it. */
const variableWithin = `^(?:[^$]|\\$(?!\\{))*${variable}`;

const value = "`${NAME}` stands for a variable of the environment, `$${` for a literal `${`.";

const aText = { type: "string", pattern: text };
const aVariable = { type: "string", pattern: `^${variable}$` };

const aSenderIdName = { ...aText, minLength: 1, not: { enum: [".", ".."] } };

/**
 * JSON Schema, draft 7, of a manifest: for editors, which know that draft best. It takes what readManifest
 * takes. Of what it takes, readManifest refuses what only it can see: duplicates, variables that are not
 * set or hold something else, lone surrogates.
 */
export const manifestSchema: object = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Manifest of sendctl",
  description:
    "The sender IDs and groups that a bulk-SMS service should have, for `sendctl diff` and `sendctl apply`.",
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: {
      description: "Where this schema is, for editors. It is not looked at.",
      type: "string",
    },
    sender_ids: {
      description:
        "Every sender ID there should be, `[]` for none. Without this member, sender IDs stay as they are.",
      type: "array",
      items: { $ref: "#/definitions/sender_id" },
    },
    groups: {
      description:
        "Every group there should be, `[]` for none. Without this member, groups stay as they are. A group is found by its id, its uuid or its name.",
      type: "array",
      items: { $ref: "#/definitions/group" },
    },
  },
  definitions: {
    sender_id: {
      title: "Sender ID",
      description: "A name that messages are sent under.",
      type: "object",
      additionalProperties: false,
      required: ["name", "purpose"],
      properties: {
        name: {
          description: `The name; no two sender IDs have the same. ${value}`,
          ...aSenderIdName,
          examples: ["ACME"],
        },
        purpose: {
          description: `What it is used for, as the review sees it. ${value}`,
          ...aText,
          examples: ["Order updates"],
        },
      },
    },
    group: {
      title: "Group",
      description:
        "A collection of contacts. A member that is left out is not managed: it stays as it is.",
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: {
        id: {
          description: "Its id, which the service has assigned. A variable can hold it: `${NAME}`.",
          anyOf: [
            { type: "integer", minimum: 1 },
            { type: "string", pattern: decimalId.source },
            { ...aText, allOf: [{ pattern: variableWithin }] },
          ],
          examples: [1],
        },
        uuid: {
          description:
            "Its uuid, which the service has assigned. A variable can hold it: `${NAME}`.",
          anyOf: [
            { type: "string", pattern: uuidPattern.source },
            { ...aText, allOf: [{ pattern: variableWithin }] },
          ],
          examples: ["123e4567-e89b-12d3-a456-426614174000"],
        },
        name: {
          description: `Its name. Groups that share one have to give their id or uuid. ${value}`,
          ...aText,
          minLength: 1,
          examples: ["Customers"],
        },
        send_birthday: {
          description:
            "Whether members get a message on their birthday. A variable can say it: `${NAME}`.",
          anyOf: [{ type: "boolean" }, aVariable],
          examples: [true],
        },
        send_holiday: {
          description:
            "Whether members get messages on holidays; null where nobody has decided. A variable can say it: `${NAME}`.",
          anyOf: [{ type: ["boolean", "null"] }, aVariable],
          examples: [false],
        },
        birthday_message: {
          description: `The message; \`{first_name}\` stands for the member's name. null for none. ${value}`,
          anyOf: [{ type: "null" }, aText],
          examples: ["Happy birthday, {first_name}!"],
        },
        sender_id: {
          description: `The name of the sender ID that it sends under, null for none. The service never shows it. ${value}`,
          anyOf: [{ type: "null" }, aSenderIdName],
          examples: ["ACME"],
        },
      },
    },
  },
  examples: [
    {
      sender_ids: [{ name: "ACME", purpose: "Order updates" }],
      groups: [
        {
          name: "Customers",
          send_birthday: true,
          birthday_message: "Happy birthday, {first_name}!",
          sender_id: "ACME",
        },
      ],
    },
  ],
};
