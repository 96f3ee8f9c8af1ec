import type { Capabilities } from "../capabilities.ts";
import { targetName } from "../../config/target-name.ts";
import type { Group } from "../../contract/records.ts";
import { succeeded } from "../../contract/service.ts";
import type { Prompter } from "../../prompts/prompter.ts";
import { safeText } from "../../output/safe-text.ts";
import { refusalLine } from "../../output/refusal.ts";
import { senderIdView } from "../../output/views.ts";
import { pickRecord } from "../../prompts/pick-record.ts";
import { optionWords, words } from "./words.ts";

/** What is to be changed: a line for the person, and the words that do it. */
interface Change {
  readonly line: string;
  readonly words: readonly string[];
}

/**
 * Asks for each field of a group with today's value as the answer that Enter gives, shows the change, and
 * asks whether to send it.
 *
 * @returns the words of the command; undefined where nothing is to be done
 */
export async function editGroup(
  context: Capabilities,
  prompter: Prompter,
  id: string,
): Promise<readonly string[] | undefined> {
  const service = context.service;
  const reply = await service["group.fetch"]({ path: { id } });
  if (!succeeded(reply)) {
    await context.output.complain(refusalLine(reply));
    return undefined;
  }
  const group = reply.envelope!.data as Group;
  const changes = [
    ...(await nameChange(prompter, group)),
    ...(await switchChange(prompter, "birthday", group.send_birthday)),
    ...(await switchChange(prompter, "holiday", group.send_holiday)),
    ...(await messageChange(prompter, group)),
    ...(await senderChange(context, prompter)),
  ];
  if (changes.length === 0) {
    await context.output.say("Nothing changed");
    return undefined;
  }
  for (const { line } of changes) await context.output.say(`  ${safeText(line)}`);
  const target = safeText(targetName(context.config.settings));
  if (!(await prompter.confirm(`Send this change to ${target}?`))) {
    await context.output.say("Nothing changed");
    return undefined;
  }
  const options = changes.flatMap((change) => change.words);
  return words(["group", "update"], id, options);
}

async function nameChange(prompter: Prompter, { name }: Group): Promise<Change[]> {
  const wanted = await prompter.edit("Name", name);
  if (wanted === name || wanted === "") return [];
  return [{ line: `name: ${name} → ${wanted}`, words: optionWords("--name", wanted) }];
}

async function switchChange(
  prompter: Prompter,
  what: "birthday" | "holiday",
  now: boolean | null,
): Promise<Change[]> {
  const choices = [
    { value: "yes", name: "yes" },
    { value: "no", name: "no" },
    ...(now === null ? [{ value: "unset", name: "leave it unset" }] : []),
  ];
  const usual = now === null ? "unset" : now ? "yes" : "no";
  const wanted = await prompter.select(`Send ${what} messages`, choices, usual);
  if (wanted === usual) return [];
  const word = wanted === "yes" ? `--send-${what}` : `--no-send-${what}`;
  return [{ line: `send_${what}: ${usual} → ${wanted}`, words: [word] }];
}

async function messageChange(
  prompter: Prompter,
  { birthday_message: message }: Group,
): Promise<Change[]> {
  const now = message ?? "";
  const wanted = await prompter.edit("Birthday message (empty for none)", now);
  if (wanted === now) return [];
  const line = `birthday_message: ${now || "none"} → ${wanted || "none"}`;
  const isGone = wanted === "";
  return [
    {
      line,
      words: isGone ? ["--clear-birthday-message"] : optionWords("--birthday-message", wanted),
    },
  ];
}

/** What it is today the service does not tell. */
async function senderChange(context: Capabilities, prompter: Prompter): Promise<Change[]> {
  const choices = [
    { value: "keep", name: "leave it as it is" },
    { value: "pick", name: "choose one" },
    { value: "clear", name: "take it away" },
  ];
  const wanted = await prompter.select("Sender ID to send under", choices, "keep");
  if (wanted === "keep") return [];
  if (wanted === "clear") return [{ line: "sender_id: → none", words: ["--clear-sender-id"] }];
  const name = await pickRecord(prompter, context.ask.list("sender-id.list"), senderIdView);
  return [{ line: `sender_id: → ${name}`, words: optionWords("--sender-id", name) }];
}
