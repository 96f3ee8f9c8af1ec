import type { Behaviour } from "../../contract/behaviour.ts";
import { namesOf, type Fields, groupFields } from "../../contract/resources.ts";
import { requiredGroupFields } from "../rulings.ts";

/** Returns the fields that a body needs: ruling 4. */
export function requiredFields(
  fields: Fields,
  by: "create" | "update",
  behaviour: Behaviour,
): readonly string[] {
  if (fields === groupFields) {
    return by === "create"
      ? requiredGroupFields.create[behaviour.group_create_requires]
      : requiredGroupFields.update[behaviour.group_update_requires];
  }
  const isNameEnough = behaviour.sender_id_create_requires === "name";
  return namesOf(
    fields,
    (field) => field[by] === "required" && !(isNameEnough && field !== fields["name"]),
  );
}
