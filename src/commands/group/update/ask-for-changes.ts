import type { List } from "../../../service/read-list.ts";
import { groupFields, namesOf, type Field } from "../../../contract/resources.ts";
import type { GroupChanges, ShownRecord } from "../../../contract/service.ts";
import { senderIdView } from "../../../output/views.ts";
import { pickRecord } from "../../../output/prompts/pick-record.ts";
import type { Prompter } from "../../../output/prompts/prompter.ts";
import { askForMessage } from "../birthday-message.ts";

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
  for (const name of names.filter((one) => chosen.includes(one))) {
    changes.push([name, await entered(prompter, senderIds, name, group[name])]);
  }
  const isChange = ([name, value]: [string, Entered]): boolean =>
    value !== undefined && value !== (group[name] ?? (name === "sender_id" ? undefined : null));
  return Object.fromEntries(changes.filter(isChange));
}

function entered(
  prompter: Prompter,
  senderIds: List,
  name: keyof typeof groupFields,
  current: unknown,
): Promise<Entered> {
  const field: Field = groupFields[name];
  if (field.refersTo !== undefined) return enteredReference(prompter, senderIds, name);
  if (field.type === "boolean") return enteredSwitch(prompter, name, current);
  return enteredText(prompter, name, field, typeof current === "string" ? current : "");
}

async function enteredText(
  prompter: Prompter,
  name: string,
  field: Field,
  current: string,
): Promise<Entered> {
  if (name === "birthday_message") {
    return (await askForMessage(prompter, fieldQuestion(name), current)) || null;
  }
  const isRequired = field.null === undefined;
  const question = isRequired ? fieldQuestion(name) : `${fieldQuestion(name)} (empty for none)`;
  const text = await prompter.edit(question, current);
  if (text !== "") return text;
  return isRequired ? undefined : null;
}

async function enteredSwitch(prompter: Prompter, name: string, current: unknown): Promise<Entered> {
  const choices = ["yes", "no"].map((value) => ({ value, name: value }));
  return (
    (await prompter.select(fieldQuestion(name), choices, current === true ? "yes" : "no")) === "yes"
  );
}

/** Asks for a field whose current value the service does not show. */
async function enteredReference(
  prompter: Prompter,
  senderIds: List,
  name: string,
): Promise<Entered> {
  const wanted = await prompter.select(fieldQuestion(name), [
    { value: "choose", name: "choose one" },
    { value: "remove", name: "remove it" },
  ]);
  return wanted === "remove" ? null : pickRecord(prompter, senderIds, senderIdView);
}

/** Returns the name of a field as in questions: `Sender ID`, `Send birthday messages`. */
function fieldQuestion(name: string): string {
  const text = name
    .replaceAll("_", " ")
    .replace(/\bid\b/, "ID")
    .replace(/^(send \w+)$/, "$1 messages");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
