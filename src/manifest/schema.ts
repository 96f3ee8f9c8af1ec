import {
  type RecordKind,
  uuidForm,
  groupFields,
  namesOf,
  resources,
  senderIdFields,
  type Fields,
} from "../contract/resources.ts";
import { decimalId, formOf, manifestFields, type Form } from "./manifest.ts";
import { secretVariables, variableName } from "./variables.ts";

/** Pattern of a variable that a manifest may use. */
const variable = `\\$\\{(?!(?:${secretVariables.join("|")})(?::-)?\\})${variableName}(?::-)?\\}`;

/** Pattern of a text in which every \`\${\` belongs to a variable or is escaped. */
const text = `^(?:\\$\\$\\{|${variable}|\\$(?!\\$?\\{)|[^$])*$`;

/** Pattern of a text that contains a variable. */
const variableWithin = `^(?:[^$]|\\$(?!\\{))*${variable}`;

const aText = { type: "string", pattern: text };
const aVariable = { type: "string", pattern: `^${variable}$` };
const withVariable = { ...aText, allOf: [{ pattern: variableWithin }] };

const inTexts = "`${NAME}` stands for an environment variable, `$${` for a literal `${`.";
const inOthers = "Can be an environment variable: `${NAME}`.";

type Schema = Readonly<Record<string, unknown>>;

/** The values of each form, one of which is valid. */
const forms: Readonly<Record<Form, readonly Schema[]>> = {
  text: [aText],
  name: [{ ...aText, minLength: 1 }],
  "sender-id": [{ ...aText, minLength: 1, not: { enum: [".", ".."] } }],
  id: [
    { type: "integer", minimum: 1 },
    { type: "string", pattern: decimalId.source },
    withVariable,
  ],
  uuid: [{ type: "string", pattern: uuidForm.source }, withVariable],
  flag: [{ type: "boolean" }, aVariable],
};

function schemaOf(form: Form, isNullable: boolean): Schema {
  const schemas = [...(isNullable ? [{ type: "null" }] : []), ...forms[form]];
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}

/** Returns the schema of a record. */
function recordSchema(kind: RecordKind, title: string, description: string): Schema {
  const fields: Fields = resources[kind];
  const { known, required } = manifestFields[kind];
  const properties = known.map((name) => {
    const field = fields[name]!;
    const sentences = [
      `${field.about}.`,
      ...(field.null === undefined ? [] : [`null means ${field.null}.`]),
      field.type === "text" ? inTexts : inOthers,
    ];
    const schema = schemaOf(formOf(name, field), field.null !== undefined);
    return [name, { description: sentences.join(" "), ...schema, examples: [field.example] }];
  });
  return {
    title,
    description,
    type: "object",
    additionalProperties: false,
    required,
    properties: Object.fromEntries(properties) as Schema,
  };
}

/** Returns an example record with every field that a manifest can set. */
function exampleOf(fields: Fields): Schema {
  const names = namesOf(fields, ({ create, update }) => (create ?? update) !== undefined);
  return Object.fromEntries(names.map((name) => [name, fields[name]!.example]));
}

/**
 * JSON Schema of a manifest, for editors; draft 7 has the best support. Everything that
 * readManifest accepts is valid. readManifest also rejects what the schema cannot express:
 * duplicates, unset variables, variables with values of another type, and lone surrogates.
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
    sender_id: recordSchema("sender-id", "Sender ID", "A name that messages are sent under."),
    group: recordSchema(
      "group",
      "Group",
      "A collection of contacts. Fields that are omitted are left unchanged.",
    ),
  },
  examples: [{ sender_ids: [exampleOf(senderIdFields)], groups: [exampleOf(groupFields)] }],
};
