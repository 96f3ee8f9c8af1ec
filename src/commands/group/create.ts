import type { Context } from "../../cli/context.ts";
import { succeeded } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { showRecord } from "../../output/answer.ts";
import { required } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { createBody } from "./group-body.ts";
import { groupView } from "../../output/views.ts";

export interface GroupCreateOptions {
  readonly birthdayMessage?: string;
  /** Those of other fields. */
  readonly [option: string]: string | boolean | undefined;
}

/** Creates a group. What is not given is left to the service. */
export async function createGroup(
  context: Context,
  givenName: string | undefined,
  options: GroupCreateOptions,
): Promise<ExitCode> {
  const name = await required(context, givenName, "NAME", "Name of the group");
  const service = await context.service();
  const reply = await service["group.create"]({ body: createBody(name, options) });
  if (succeeded(reply)) await warnOfMessage(context, options.birthdayMessage);
  return showRecord(context, reply, groupView);
}
