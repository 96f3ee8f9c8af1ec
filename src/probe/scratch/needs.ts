import type { Experiment } from "../experiment.ts";
import { ambiguous, hidden, type Findings, type Verdict } from "../findings.ts";
import type { Fields } from "../outcome.ts";
import { message, type ScratchBench } from "./bench.ts";

/** The fields that a create needs, and the values of those that it omits. */
export const createNeeds: Experiment<ScratchBench> = {
  finds: ["group_create_requires", "default_send_birthday", "default_birthday_message"],
  how: "creates without some of the fields",
  run: async ({ create }) => {
    const nameOnly = await create((name) => ({ name }), "a create without further fields");
    const withBirthday =
      nameOnly ??
      (await create(
        (name) => ({ name, send_birthday: false }),
        "a create without birthday_message",
      ));
    const withMessage =
      nameOnly ??
      (await create(
        (name) => ({ name, birthday_message: message }),
        "a create without send_birthday",
      ));
    const needed = withBirthday === undefined ? "every_field" : "name_and_send_birthday";
    const either = withBirthday === undefined ? "" : " or send_birthday";
    const requires =
      withMessage === undefined ? { value: needed } : { odd: `name and birthday_message${either}` };
    return {
      group_create_requires: nameOnly === undefined ? requires : { value: "name" },
      default_send_birthday: defaultIn(withMessage, "send_birthday"),
      default_birthday_message: defaultIn(withBirthday, "birthday_message"),
    };
  },
};

function defaultIn(created: Fields | undefined, field: string): Verdict {
  if (created === undefined) return hidden("a create needs the field");
  return created[field] === undefined
    ? { unknown: "no response shows it" }
    : { value: created[field] };
}

/** Whether a create needs the name. The group without one is found by its birthday message. */
export const namelessCreate: Experiment<ScratchBench> = {
  finds: ["group_create_requires"],
  how: "a create without a name",
  run: async ({ create }) => {
    const created = await create(
      (name) => ({ send_birthday: false, birthday_message: name }),
      "a create without name",
    );
    return created === undefined ? {} : { group_create_requires: { odd: "not the name" } };
  },
};

/** The fields that an update needs, and what it does to those that it omits. */
export const updateNeeds: Experiment<ScratchBench> = {
  finds: ["group_update_requires", "omitted_in_update"],
  how: "updates without some of the fields",
  run: async ({ update, whole, findings }) => {
    const birthday_message = `${message}.`;
    const before = whole();
    const { name, send_holiday: _, ...others } = before;
    const messageOnly = await update({ birthday_message }, "an update without name");
    const named = messageOnly ?? (await update({ name, birthday_message }));
    if (named === undefined) {
      const isEvery = (await update({ name, ...others })) === undefined;
      return {
        group_update_requires: isEvery
          ? { value: "every_field" }
          : { odd: "name and send_birthday" },
        omitted_in_update: hidden(`an update needs ${isEvery ? "every field" : "most fields"}`),
      };
    }
    const omitted_in_update = omittedIn(named, before, findings, birthday_message);
    if (messageOnly === undefined) {
      return { group_update_requires: { value: "name" }, omitted_in_update };
    }
    const isAnyNeeded = (await update({})) === undefined;
    return {
      group_update_requires: isAnyNeeded ? { odd: "any field" } : { value: "nothing" },
      omitted_in_update,
    };
  },
};

/** Compares the fields that an update omitted with those before it. */
function omittedIn(after: Fields, before: Fields, findings: Findings, text: string): Verdict {
  if (after["birthday_message"] !== text) {
    return ambiguous("the response does not show the new birthday message");
  }
  const usual = {
    send_birthday: findings.valueOf("default_send_birthday"),
    send_holiday: findings.valueOf("default_send_holiday"),
  };
  const fields = ["send_birthday", "send_holiday"] as const;
  const changed = fields.filter((field) => after[field] !== before[field]);
  if (changed.length === 0) {
    return before["send_holiday"] === usual.send_holiday
      ? ambiguous("the fields have their defaults")
      : { value: "kept" };
  }
  // A field whose default is not known may have been reset to its old value.
  const isReset = fields.every((field) =>
    changed.includes(field)
      ? usual[field] === undefined || after[field] === usual[field]
      : field === "send_birthday" && usual.send_birthday === undefined,
  );
  return isReset ? { value: "reset" } : { odd: `changed: ${changed.join(", ")}` };
}
