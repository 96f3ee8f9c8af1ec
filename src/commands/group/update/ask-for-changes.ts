import type { List } from "../../../service/read-list.ts";
import { groupFields, namesOf, type Field } from "../../../contract/resources.ts";
import type { GroupChanges, Reply, ShownRecord } from "../../../contract/service.ts";
import type { Session } from "../../../command/session.ts";
import { targetName } from "../../../config/target.ts";
import { SendctlError } from "../../../core/error.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { groupView, senderIdView } from "../../../output/views.ts";
import { failureText, isRefusal } from "../../../service/refusals.ts";
import { pickRecord } from "../../../output/prompts/pick-record.ts";
import type { Prompter } from "../../../output/prompts/questions.ts";
import { capitalized, safeText } from "../../../core/text.ts";
import { askForMessage } from "../../sms.ts";

/** A value that the user entered; undefined leaves the field unchanged. */
type Entered = string | boolean | null | undefined;

/**
 * Asks which fields of a group to change, then for the new value of each.
 *
 * @param senderIds lists the sender IDs to choose from
 * @param group the current record
 * @param answers values that were entered before, which are offered again
 * @returns the fields whose values differ from those of the group
 */
export async function askForChanges(
  prompter: Prompter,
  senderIds: List,
  group: ShownRecord,
  answers: GroupChanges = {},
): Promise<GroupChanges> {
  const offered: ShownRecord = { ...group, ...answers };
  const names = namesOf(groupFields, ({ update }) => update !== undefined);
  const fields = names.map((name) => ({ value: name, name: fieldQuestion(name) }));
  const chosen = await prompter.selectSeveral("Fields to change", fields);
  const changes: [string, Entered][] = [];
  for (const name of names.filter((field) => chosen.includes(field))) {
    changes.push([name, await entered(prompter, senderIds, name, offered[name])]);
  }
  const isChange = ([name, value]: [string, Entered]): boolean =>
    value !== undefined && value !== (group[name] ?? (name === "sender_id" ? undefined : null));
  return Object.fromEntries(changes.filter(isChange));
}

/** Shows the changes of a group and asks whether to send them. @param target name of the target */
export async function confirmChanges(
  prompter: Prompter,
  say: (line: string) => Promise<void>,
  group: ShownRecord,
  changes: GroupChanges,
  target: string,
): Promise<boolean> {
  for (const [field, value] of Object.entries(changes)) {
    // The service does not show the sender ID of a group.
    const before = field === "sender_id" ? "" : `${shown(group[field])} `;
    await say(safeText(`  ${field}: ${before}→ ${shown(value)}`));
  }
  return prompter.confirm(`Send this change to ${safeText(target)}?`);
}

function shown(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" && value !== "" ? JSON.stringify(value) : "none";
}

/**
 * Asks for the changes of a group, shows them, and sends them once they are confirmed. After a
 * refusal of a value, it asks again, with the values that were entered.
 *
 * @param fetched the current record
 * @throws SendctlError "cancelled" if the changes are not confirmed
 */
export async function askToUpdate(
  { service, output, ask, config }: Pick<Session, "service" | "output" | "ask" | "config">,
  prompter: Prompter,
  id: string,
  fetched: Reply,
): Promise<ExitCode> {
  const group = fetched.envelope!.data as ShownRecord;
  let body: GroupChanges = {};
  for (;;) {
    body = await askForChanges(prompter, ask.list("sender-id.list"), group, body);
    if (Object.keys(body).length === 0) {
      await output.say("Nothing to change: the fields already have these values");
      return output.record(fetched, groupView);
    }
    const target = targetName(config.settings);
    if (!(await confirmChanges(prompter, output.say, group, body, target))) {
      throw new SendctlError("cancelled", "Nothing changed");
    }
    try {
      const reply = await service["group.update"]({ path: { id }, body, expected: group });
      return await output.record(reply, groupView, { done: "updated" });
    } catch (error) {
      if (!isRefusal(error) || !["invalid", "conflict"].includes(error.kind)) throw error;
      await output.printError(failureText(error, output.database));
    }
  }
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
  if (field.type === "boolean") return askYesOrNo(prompter, question, current === true);
  const text = typeof current === "string" ? current : "";
  if (name === "birthday_message") return (await askForMessage(prompter, question, text)) || null;
  const isOptional = field.null !== undefined;
  const typed = await prompter.edit(question, text, isOptional);
  return typed === "" ? (isOptional ? null : undefined) : typed;
}

/** Asks for a value that is on or off. @param isOn the answer for Enter alone */
export async function askYesOrNo(
  prompter: Prompter,
  question: string,
  isOn: boolean,
): Promise<boolean> {
  const choices = ["yes", "no"].map((value) => ({ value, name: value }));
  return (await prompter.select(question, choices, isOn ? "yes" : "no")) === "yes";
}

/** Returns the name of a field as in questions: `Sender ID`, `Send birthday messages`. */
export function fieldQuestion(name: string): string {
  const text = name.replaceAll("_", " ").replace(/\bid\b/, "ID");
  return capitalized(text.replace(/^(send \w+)$/, "$1 messages"));
}
