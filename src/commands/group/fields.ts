import type { Session } from "../../command/session.ts";
import { flag, onOff, text } from "../../command/define-command.ts";
import { optionWords } from "../../config/target.ts";
import { groupFields, namesOf } from "../../contract/resources.ts";
import type { GroupChanges, Reply, ShownRecord } from "../../contract/service.ts";
import { safeText } from "../../core/text.ts";
import { warnOfMessage } from "../sms.ts";

/** The option of a field, as commander names it: `send_birthday` is `sendBirthday`. */
type OptionName<Field extends string> = Field extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<OptionName<Rest>>}`
  : Field;

/** At least an option for each field. */
type OptionsOf<Changes> = Readonly<Record<OptionName<keyof Changes & string>, unknown>> &
  Readonly<Record<string, unknown>>;

/** Options for the fields of a new group, except its name. */
export const createOptions = {
  sendBirthday: onOff(
    "--send-birthday",
    "send contacts a message on their birthday",
    "send no birthday messages",
  ),
  birthdayMessage: text(
    "--birthday-message <text>",
    "birthday message; {first_name} is replaced with the contact's first name",
  ),
  sendHoliday: onOff(
    "--send-holiday",
    "send contacts messages on holidays",
    "send no holiday messages",
  ),
  senderId: text("--sender-id <name>", "name or id of the sender ID to use", {
    takes: "sender-id",
  }),
} satisfies OptionsOf<Omit<GroupChanges, "name">>;

/** Options for the fields that an update sets or clears. */
export const updateOptions = {
  name: text("--name <text>", "new name of the group"),
  sendBirthday: createOptions.sendBirthday,
  sendHoliday: createOptions.sendHoliday,
  birthdayMessage: createOptions.birthdayMessage,
  clearBirthdayMessage: flag("--clear-birthday-message", "remove the birthday message", {
    conflicts: ["birthdayMessage"],
  }),
  senderId: createOptions.senderId,
  clearSenderId: flag("--clear-sender-id", "remove the sender ID", { conflicts: ["senderId"] }),
} satisfies OptionsOf<GroupChanges>;

/** Options as commander parses them: `--send-birthday` is `sendBirthday`. */
type Options = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Returns the fields that options set, or clear with `--clear-` and the name of the field. An empty
 * text does not clear a field: it is sent, and the service rejects it.
 */
export function givenFields(by: "create" | "update", options: Options): GroupChanges {
  const values = namesOf(groupFields, (field) => field[by] !== undefined).map((name) => {
    const isCleared = options[optionKey(`clear_${name}`)] === true;
    return [name, isCleared ? null : options[optionKey(name)]] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns the option of `group update` that sets a field to a value, or clears it. */
export function fieldWords(field: string, value: unknown): readonly string[] {
  const name = field.replaceAll("_", "-");
  if (value === null) return [`--clear-${name}`];
  if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
  return optionWords(`--${name}`, value as string);
}

function optionKey(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Says at a terminal that a sender ID was set, because no response shows it. */
export async function saySenderId(
  output: Session["output"],
  { sender_id: name }: GroupChanges,
  reply: Reply,
): Promise<void> {
  if (typeof name !== "string" || !output.isStderrTerminal()) return;
  const shown = reply.envelope!.data as ShownRecord | null;
  if (shown?.["sender_id"] !== undefined || reply.status === 202) return;
  await output.say(safeText(`Sender ID set to ${name} (group fetch does not show it)`));
}

/** Warns of a message that may be a mistake. @param replies with the groups that have it now */
export async function warnOfNewMessage(
  output: Session["output"],
  message: string,
  replies: readonly Reply[],
): Promise<void> {
  await warnOfMessage(output, message);
  const shown = replies.map(({ envelope }) => envelope!.data as ShownRecord | null);
  const isOff = shown.some((group) => group?.["send_birthday"] === false);
  if (!isOff || !output.isStderrTerminal()) return;
  const groups = replies.length === 1 ? "this group" : "some of these groups";
  await output.warn(`birthday messages of ${groups} are off; to turn them on: --send-birthday`);
}
