import type { Context } from "../../cli/context.ts";
import { succeeded } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { required } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { groupView } from "../../output/views.ts";

export interface GroupCreateOptions {
  readonly sendBirthday?: boolean;
  readonly birthdayMessage?: string;
}

/** Creates a group. What is not given is left to the service. */
export async function createGroup(
  context: Context,
  givenName: string | undefined,
  { sendBirthday, birthdayMessage }: GroupCreateOptions,
): Promise<ExitCode> {
  const name = await required(context, givenName, "NAME", "Name of the group");
  const service = await context.service();
  const body = {
    name,
    ...(sendBirthday === undefined ? {} : { send_birthday: sendBirthday }),
    ...(birthdayMessage === undefined ? {} : { birthday_message: birthdayMessage }),
  };
  const reply = await service["group.create"]({ body });
  if (succeeded(reply)) await warnOfMessage(context, birthdayMessage);
  return context.output.record(reply, groupView);
}
