import type { Capabilities } from "../capabilities.ts";
import { askForMessage } from "../../commands/group/ask-for-message.ts";
import { fieldQuestion } from "../../commands/group/field-question.ts";
import { targetName } from "../../config/target-name.ts";
import { groupFields, namesOf, type Field } from "../../contract/resources.ts";
import { succeeded, type ShownRecord } from "../../contract/service.ts";
import type { Prompter } from "../../prompts/prompter.ts";
import { safeText } from "../../output/safe-text.ts";
import { refusalText } from "../../output/refusal.ts";
import { senderIdView } from "../../output/views.ts";
import { pickRecord } from "../../prompts/pick-record.ts";
import type { Session } from "./session.ts";
import { optionWords } from "./words.ts";

/** A change to a group: the line that describes it, and the options that make it. */
interface Change {
  readonly line: string;
  readonly words: readonly string[];
}

/**
 * Asks for each field of a group, with its current value as default, then shows the changes and asks whether to send
 * them.
 *
 * @returns the options of `group update`; undefined if nothing changes
 */
export async function editGroup(
  { context: current, prompter, say, complain }: Session,
  id: string,
): Promise<readonly string[] | undefined> {
  const context = current();
  const { service } = context;
  const reply = await service["group.fetch"]({ path: { id } });
  if (!succeeded(reply)) {
    await complain(refusalText(reply));
    return undefined;
  }
  const group = reply.envelope!.data as ShownRecord;
  const changes: Change[] = [];
  for (const name of namesOf(groupFields, ({ update }) => update !== undefined)) {
    changes.push(...(await changeOf(context, prompter, name, group)));
  }
  if (changes.length === 0) {
    await say("Nothing changed");
    return undefined;
  }
  for (const { line } of changes) await say(`  ${line}`);
  const target = safeText(targetName(context.config.settings));
  if (!(await prompter.confirm(`Send this change to ${target}?`))) {
    await say("Nothing changed");
    return undefined;
  }
  return changes.flatMap((change) => change.words);
}

/** Asks for a field, by its type. */
async function changeOf(
  context: Capabilities,
  prompter: Prompter,
  name: keyof typeof groupFields,
  group: ShownRecord,
): Promise<Change[]> {
  const field: Field = groupFields[name];
  if (field.refersTo !== undefined) return referenceChange(context, prompter, name, field);
  const now = group[name] ?? null;
  if (field.type === "boolean") return switchChange(prompter, name, now as boolean | null);
  return textChange(prompter, name, field, now as string | null);
}

async function textChange(
  prompter: Prompter,
  name: string,
  field: Field,
  value: string | null,
): Promise<Change[]> {
  const now = value ?? "";
  const mayBeNull = field.null !== undefined;
  const wanted =
    name === "birthday_message"
      ? await askForMessage(prompter, field.label, now)
      : await prompter.edit(mayBeNull ? `${field.label} (empty for none)` : field.label, now);
  if (wanted === now || (wanted === "" && !mayBeNull)) return [];
  return [
    {
      line: `${name}: ${now || "none"} → ${wanted || "none"}`,
      words: wanted === "" ? [`--clear-${kebab(name)}`] : optionWords(`--${kebab(name)}`, wanted),
    },
  ];
}

async function switchChange(
  prompter: Prompter,
  name: string,
  now: boolean | null,
): Promise<Change[]> {
  const choices = [
    { value: "yes", name: "yes" },
    { value: "no", name: "no" },
    ...(now === null ? [{ value: "unset", name: "leave it unset" }] : []),
  ];
  const initial = now === null ? "unset" : now ? "yes" : "no";
  const wanted = await prompter.select(fieldQuestion(name), choices, initial);
  if (wanted === initial) return [];
  const word = wanted === "yes" ? `--${kebab(name)}` : `--no-${kebab(name)}`;
  return [{ line: `${name}: ${initial} → ${wanted}`, words: [word] }];
}

/** Asks for the record that a field refers to. The service does not show the current one. */
async function referenceChange(
  context: Capabilities,
  prompter: Prompter,
  field: string,
  { label, refersTo }: Field,
): Promise<Change[]> {
  const choices = [
    { value: "keep", name: "keep it" },
    { value: "pick", name: "choose one" },
    { value: "clear", name: "remove it" },
  ];
  const wanted = await prompter.select(label, choices, "keep");
  if (wanted === "keep") return [];
  if (wanted === "clear") return [{ line: `${field}: → none`, words: [`--clear-${kebab(field)}`] }];
  const name = await pickRecord(prompter, context.ask.list(`${refersTo!}.list`), senderIdView);
  return [{ line: `${field}: → ${name}`, words: optionWords(`--${kebab(field)}`, name) }];
}

/** Returns the name of a field as in options: `send-birthday`. */
function kebab(name: string): string {
  return name.replaceAll("_", "-");
}
