import type { Context } from "../../cli/context.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { recordKey, someSenderId } from "../arguments.ts";
import { senderIdView } from "../../output/views.ts";

/** Shows a sender ID. */
export async function fetchSenderId(
  context: Context,
  givenName: string | undefined,
): Promise<ExitCode> {
  const name = await recordKey(context, givenName, "NAME", someSenderId);
  const service = await context.service();
  return context.output.record(await service["sender-id.fetch"]({ path: { name } }), senderIdView);
}
