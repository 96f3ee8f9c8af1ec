import {
  groupFields,
  namesOf,
  senderIdFields,
  type Field,
  type Fields,
} from "../contract/resources.ts";
import { decimalId, uuidPattern } from "./manifest.ts";
import { secretVariables, variableName } from "./variables.ts";

/** Pattern of a variable that a manifest may use. */
const variable = `\\$\\{(?!(?:${secretVariables.join("|")})\\})${variableName}\\}`;

/** Pattern of a text in which every \`\${\` belongs to a variable or is escaped. */
const text = `^(?:\\$\\$\\{|${variable}|\\$(?!\\$?\\{)|[^$])*$`;

/** Pattern of a text that contains a variable. */
const variableWithin = `^(?:[^$]|\\$(?!\\{))*${variable}`;

const aText = { type: "string", pattern: text };
const aVariable = { type: "string", pattern: `^${variable}$` };

const aSenderIdName = { ...aText, minLength: 1, not: { enum: [".", ".."] } };

const inTexts = "`${NAME}` stands for an environment variable, `$${` for a literal `${`.";
const inOthers = "Can be an environment variable: `${NAME}`.";

type Schema = Readonly<Record<string, unknown>>;

/** Schemas of values that are not free text. */
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

/** Returns the properties of an item of a section. */
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

/** Returns an example record with every field that a manifest can set. */
function exampleOf(fields: Fields): Schema {
  const names = namesOf(fields, ({ create, update }) => (create ?? update) !== undefined);
  return Object.fromEntries(names.map((name) => [name, fields[name]!.example]));
}

/**
 * JSON Schema of a manifest, for editors; draft 7 has the best support. Everything that readManifest accepts is valid.
 * readManifest also rejects what the schema cannot express: duplicates, unset variables, variables with values of
 * another type, and lone surrogates.
 */
export const manifestSchema: object = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "sendctl manifest",
  description:
    "Desired sender IDs and groups of a bulk-SMS service, for `sendctl diff` and `sendctl apply`.",
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: {
      description: "Location of this schema, for editors. sendctl ignores it.",
      type: "string",
    },
    sender_ids: {
      description:
        "All desired sender IDs, `[]` for none. Without this field, sender IDs are left unchanged.",
      type: "array",
      items: { $ref: "#/definitions/sender_id" },
    },
    groups: {
      description:
        "All desired groups, `[]` for none. Without this field, groups are left unchanged. A group is identified by its id, its uuid or its name.",
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
      description: "A collection of contacts. Fields that are omitted are left unchanged.",
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: propertiesOf(groupFields),
    },
  },
  examples: [{ sender_ids: [exampleOf(senderIdFields)], groups: [exampleOf(groupFields)] }],
};
