import type { Behaviour } from "../contract/behaviour.ts";
import { namesOf, type Fields, groupFields } from "../contract/resources.ts";

const groupCreate: Readonly<Record<Behaviour["group_create_requires"], readonly string[]>> = {
  name: ["name"],
  name_and_send_birthday: ["name", "send_birthday"],
  every_field: ["name", "send_birthday", "birthday_message"],
};

const groupUpdate: Readonly<Record<Behaviour["group_update_requires"], readonly string[]>> = {
  nothing: [],
  name: ["name"],
  every_field: ["name", "send_birthday", "send_holiday", "birthday_message"],
};

/** Returns the fields that a body needs: ruling 4. */
export function requiredFields(
  fields: Fields,
  by: "create" | "update",
  behaviour: Behaviour,
): readonly string[] {
  if (fields === groupFields) {
    return by === "create"
      ? groupCreate[behaviour.group_create_requires]
      : groupUpdate[behaviour.group_update_requires];
  }
  const isNameEnough = behaviour.sender_id_create_requires === "name";
  return namesOf(
    fields,
    (field) => field[by] === "required" && !(isNameEnough && field !== fields["name"]),
  );
}
