import type { Behaviour } from "../contract/behaviour.ts";
import {
  namesOf,
  resources,
  type Field,
  type Fields,
  type TextRulingNumber,
} from "../contract/resources.ts";
import { requiredFields } from "../engine/rules/validation.ts";
import { textRuling } from "../engine/fields.ts";
import { described, schemaOf, type Resource, type Schema } from "./field-schema.ts";

/** Returns the schema of the body of a create or an update: rulings 4 and 7 to 13. */
export function bodySchema(
  resource: Resource,
  by: "create" | "update",
  behaviour: Behaviour,
): Schema {
  const fields: Fields = resources[resource];
  const { sender_id_means } = behaviour;
  const takesUpdateFields = by === "create" && behaviour.update_fields_in_create !== "refused";
  const names = namesOf(
    fields,
    (field) => field[by] !== undefined || (takesUpdateFields && field.update !== undefined),
  );
  const entries = names.map((name) => {
    const schema = sentSchema(fields[name]!, by, behaviour);
    const text = described(schema, fields[name]!);
    const isReference = fields[name]!.refersTo !== undefined;
    return [name, isReference ? { ...text, description: senderIdTexts[sender_id_means] } : text];
  });
  const required = requiredFields(fields, by, behaviour);
  return {
    type: "object",
    properties: Object.fromEntries(entries) as Record<string, Schema>,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: behaviour.unknown_fields === "ignored",
  };
}

/** Returns the schema of the values of a field in a request. */
function sentSchema(field: Field, by: "create" | "update", behaviour: Behaviour): Schema {
  const isNullRefused = by === "update" && behaviour.null_in_update === "refused";
  const { null: meaning, ...notNull } = field;
  const schema = schemaOf(isNullRefused || meaning === undefined ? notNull : field);
  const limits = { ...schema, ...lengths(field, behaviour) };
  return behaviour.types === "strict" ? limits : coerced(limits, field);
}

/** The limits of a text: rulings 5 to 8. A stored text may be older than they are. */
function lengths({ ruling }: Field, behaviour: Behaviour): Schema {
  if (ruling === undefined) return {};
  const { min, max } = textRuling(ruling as TextRulingNumber, behaviour);
  return { minLength: min, maxLength: max };
}

/** Adds the values of other types that the service converts: ruling 12. */
function coerced(schema: Schema, { type }: Field): Schema {
  const types = [schema["type"]].flat();
  if (type !== "boolean") return { ...schema, type: [...types, "number"] };
  return { ...schema, type: [...types, "string", "integer"] };
}

const sentUnder = "The sender ID under which the group's messages are sent";

/** What a sender_id is: ruling 14. */
const senderIdTexts: Readonly<Record<Behaviour["sender_id_means"], string>> = {
  name_or_id: `${sentUnder}, by name or by id in decimal; null for none. No response returns it.`,
  name: `${sentUnder}, by name. No response returns it.`,
  id: `${sentUnder}, by its id in decimal. No response returns it.`,
  any_text: "Any text. No response returns it.",
};
