import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
} from "../contract/resources.ts";
import { decimalId, uuidPattern } from "./manifest.ts";
import { secretVariables, variableName } from "./variables.ts";

/** A variable that a manifest may name. */
const variable = `\\$\\{(?!(?:${secretVariables.join("|")})\\})${variableName}\\}`;

/** A text in which every \`\${\` is one of a variable, or a literal one. */
const text = `^(?:\\$\\$\\{|${variable}|\\$(?!\\$?\\{)|[^$])*$`;

/** A text that names a variable, whatever else is in it. */
const variableWithin = `^(?:[^$]|\\$(?!\\{))*${variable}`;

const aText = { type: "string", pattern: text };
const aVariable = { type: "string", pattern: `^${variable}$` };

const aSenderIdName = { ...aText, minLength: 1, not: { enum: [".", ".."] } };

const inTexts = "`${NAME}` stands for a variable of the environment, `$${` for a literal `${`.";
const inOthers = "A variable can hold it: `${NAME}`.";

type Schema = Readonly<Record<string, unknown>>;

/** Values that no text is made of. */
const others: Partial<Record<Field["type"], readonly Schema[]>> = {
  integer: [
    { type: "integer", minimum: 1 },
    { type: "string", pattern: decimalId.source },
  ],
  uuid: [{ type: "string", pattern: uuidPattern.source }],
};

function schemaOf(field: Field, isName: boolean): Schema {
  const { type, null: meaning, refersTo } = field;
  if (type === "boolean") {
    const flag = { type: meaning === undefined ? "boolean" : ["boolean", "null"] };
    return { anyOf: [flag, aVariable] };
  }
  const other = others[type];
  if (other !== undefined) {
    return { anyOf: [...other, { ...aText, allOf: [{ pattern: variableWithin }] }] };
  }
  const isSenderId = refersTo !== undefined || field.manifest === "key";
  const aValue = isSenderId ? aSenderIdName : isName ? { ...aText, minLength: 1 } : aText;
  return meaning === undefined ? aValue : { anyOf: [{ type: "null" }, aValue] };
}

/** The properties of one item of a section. */
function propertiesOf(fields: Fields): Schema {
  const names = namesOf(fields, ({ manifest }) => manifest !== undefined);
  return Object.fromEntries(
    names.map((name) => {
      const field = fields[name]!;
      const sentences = [
        `${field.about}.`,
        ...(field.null === undefined ? [] : [`null means ${field.null}.`]),
        field.type === "text" ? inTexts : inOthers,
      ];
      const description = sentences.join(" ");
      return [
        name,
        { description, ...schemaOf(field, name === "name"), examples: [field.example] },
      ];
    }),
  );
}

/** A record with every field that a manifest can set. */
function exampleOf(fields: Fields): Schema {
  const names = namesOf(fields, ({ create, update }) => (create ?? update) !== undefined);
  return Object.fromEntries(names.map((name) => [name, fields[name]!.example]));
}

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
      properties: propertiesOf(senderIdFields),
    },
    group: {
      title: "Group",
      description:
        "A collection of contacts. A field that is left out is not managed: it stays as it is.",
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: propertiesOf(groupFields),
    },
  },
  examples: [{ sender_ids: [exampleOf(senderIdFields)], groups: [exampleOf(groupFields)] }],
};
