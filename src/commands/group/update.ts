import type { Context } from "../../cli/context.ts";
import { succeeded, type GroupChanges } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { recordKey, someGroup } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { groupView } from "../../output/views.ts";

export interface GroupUpdateOptions {
  readonly name?: string;
  readonly sendBirthday?: boolean;
  readonly sendHoliday?: boolean;
  readonly birthdayMessage?: string;
  readonly clearBirthdayMessage?: boolean;
  readonly senderId?: string;
  readonly clearSenderId?: boolean;
}

/** Changes what is given of a group, and nothing else. */
export async function updateGroup(
  context: Context,
  givenId: string | undefined,
  options: GroupUpdateOptions,
): Promise<ExitCode> {
  const id = await recordKey(context, givenId, "ID", someGroup);
  const body = changesOf(options);
  const service = await context.service();
  const reply = await service["group.update"]({ path: { id }, body });
  if (Object.keys(body).length === 0) {
    await context.output.warn("nothing was given to change; see `sendctl group update --help`");
  }
  if (succeeded(reply)) await warnOfMessage(context, options.birthdayMessage);
  return context.output.record(reply, groupView);
}

/** An empty text clears nothing: it is sent as it is, and refused. */
function changesOf(options: GroupUpdateOptions): GroupChanges {
  const { name, sendBirthday, sendHoliday } = options;
  const birthdayMessage = options.clearBirthdayMessage === true ? null : options.birthdayMessage;
  const senderId = options.clearSenderId === true ? null : options.senderId;
  return {
    ...(name === undefined ? {} : { name }),
    ...(sendBirthday === undefined ? {} : { send_birthday: sendBirthday }),
    ...(sendHoliday === undefined ? {} : { send_holiday: sendHoliday }),
    ...(birthdayMessage === undefined ? {} : { birthday_message: birthdayMessage }),
    ...(senderId === undefined ? {} : { sender_id: senderId }),
  };
}
