import type { Context } from "../../cli/context.ts";
import { succeeded } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { showRecord } from "../../output/answer.ts";
import { recordKey, someGroup } from "../arguments.ts";
import { warnOfMessage } from "./birthday-message.ts";
import { updateBody } from "./group-body.ts";
import { groupView } from "../../output/views.ts";

export interface GroupUpdateOptions {
  readonly birthdayMessage?: string;
  /** Those of other fields. */
  readonly [option: string]: string | boolean | undefined;
}

/** Changes what is given of a group, and nothing else. */
export async function updateGroup(
  context: Context,
  givenId: string | undefined,
  options: GroupUpdateOptions,
): Promise<ExitCode> {
  const id = await recordKey(context, givenId, "ID", someGroup);
  const body = updateBody(options);
  const service = await context.service();
  const reply = await service["group.update"]({ path: { id }, body });
  if (Object.keys(body).length === 0) {
    await context.warn("nothing was given to change; see `sendctl group update --help`");
  }
  if (succeeded(reply)) await warnOfMessage(context, options.birthdayMessage);
  return showRecord(context, reply, groupView);
}
