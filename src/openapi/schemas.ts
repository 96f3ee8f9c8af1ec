import type { Behaviour } from "../contract/behaviour.ts";
import { operations, type Operation } from "../contract/operations.ts";
import { namesOf, pageFields, resources, type Fields } from "../contract/resources.ts";
import { bodySchema } from "./body-schema.ts";
import {
  described,
  object,
  reference,
  schemaOf,
  type Resource,
  type Schema,
} from "./field-schema.ts";
import { refusalSchema } from "./refusal-schema.ts";

/** The names of the schemas of a resource under `components`. */
export const schemaNames = {
  "sender-id": {
    record: "SenderId",
    listed: "SenderId",
    page: "SenderIdPage",
    create: "NewSenderId",
    update: "SenderIdUpdate",
  },
  group: {
    record: "Group",
    listed: "ListedGroup",
    page: "GroupPage",
    create: "NewGroup",
    update: "GroupUpdate",
  },
} as const;

function recordSchema(resource: Resource, isListed: boolean): Schema {
  const fields: Fields = resources[resource];
  const names = namesOf(
    fields,
    ({ shown }) => shown === undefined || (isListed && shown === "lists"),
  );
  const entries = names.map((name) => [name, described(schemaOf(fields[name]!), fields[name]!)]);
  return object(Object.fromEntries(entries) as Record<string, Schema>);
}

function pageSchema(resource: Resource): Schema {
  const items = reference("schemas", schemaNames[resource].listed);
  const entries = Object.entries(pageFields).map(([name, field]) => [
    name,
    described(schemaOf(field), field),
  ]);
  const data = { type: "array", items, description: "The records of the page, newest first." };
  return object({ data, ...(Object.fromEntries(entries) as Record<string, Schema>) });
}

/** Returns every schema under `components`, by name. */
export function componentSchemas(behaviour: Behaviour): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const { resource, body, returns } of Object.values(operations) as Operation[]) {
    const names = schemaNames[resource];
    if (body !== undefined) schemas[names[body]] = bodySchema(resource, body, behaviour);
    if (returns === "record") schemas[names.record] = recordSchema(resource, false);
    if (returns === "page") {
      schemas[names.listed] = recordSchema(resource, true);
      schemas[names.page] = pageSchema(resource);
    }
  }
  return { ...schemas, Refusal: refusalSchema(behaviour) };
}
