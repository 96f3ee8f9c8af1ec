import type { List } from "../../../service/read-list.ts";
import { groupFields, namesOf, type Field } from "../../../contract/resources.ts";
import type { GroupChanges, ShownRecord } from "../../../contract/service.ts";
import { senderIdView } from "../../../output/views.ts";
import { pickRecord } from "../../../output/prompts/pick-record.ts";
import type { Prompter } from "../../../output/prompts/prompter.ts";
import { capitalized } from "../../../core/text.ts";
import { askForMessage } from "../../sms.ts";

/** A value that the user entered; undefined leaves the field unchanged. */
type Entered = string | boolean | null | undefined;

/**
 * Asks which fields of a group to change, then for the new value of each.
 *
 * @param senderIds lists the sender IDs to choose from
 * @param group the current record
 * @returns the fields whose values differ from those of the group
 */
export async function askForChanges(
  prompter: Prompter,
  senderIds: List,
  group: ShownRecord,
): Promise<GroupChanges> {
  const names = namesOf(groupFields, ({ update }) => update !== undefined);
  const fields = names.map((name) => ({ value: name, name: fieldQuestion(name) }));
  const chosen = await prompter.selectSeveral(
    "Fields to change (space selects, enter confirms)",
    fields,
  );
  const changes: [string, Entered][] = [];
  for (const name of names.filter((field) => chosen.includes(field))) {
    changes.push([name, await entered(prompter, senderIds, name, group[name])]);
  }
  const isChange = ([name, value]: [string, Entered]): boolean =>
    value !== undefined && value !== (group[name] ?? (name === "sender_id" ? undefined : null));
  return Object.fromEntries(changes.filter(isChange));
}

/** Asks for the new value of a field. */
async function entered(
  prompter: Prompter,
  senderIds: List,
  name: keyof typeof groupFields,
  current: unknown,
): Promise<Entered> {
  const field: Field = groupFields[name];
  const question = fieldQuestion(name);
  if (field.refersTo !== undefined) {
    // The service does not show the current value.
    const wanted = await prompter.select(question, [
      { value: "choose", name: "choose one" },
      { value: "remove", name: "remove it" },
    ]);
    return wanted === "remove" ? null : pickRecord(prompter, senderIds, senderIdView);
  }
  if (field.type === "boolean") {
    const choices = ["yes", "no"].map((value) => ({ value, name: value }));
    const chosen = await prompter.select(question, choices, current === true ? "yes" : "no");
    return chosen === "yes";
  }
  const text = typeof current === "string" ? current : "";
  if (name === "birthday_message") return (await askForMessage(prompter, question, text)) || null;
  const isRequired = field.null === undefined;
  const typed = await prompter.edit(isRequired ? question : `${question} (empty for none)`, text);
  return typed === "" ? (isRequired ? undefined : null) : typed;
}

/** Returns the name of a field as in questions: `Sender ID`, `Send birthday messages`. */
function fieldQuestion(name: string): string {
  const text = name.replaceAll("_", " ").replace(/\bid\b/, "ID");
  return capitalized(text.replace(/^(send \w+)$/, "$1 messages"));
}
