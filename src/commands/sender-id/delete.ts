import type { Context } from "../../cli/context.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { recordKey, someSenderId } from "../arguments.ts";
import { textOf } from "../../output/views.ts";
import { confirmedDelete, type DeleteOptions } from "../confirm-delete.ts";

/** Deletes a sender ID, once that is confirmed. */
export async function deleteSenderId(
  context: Context,
  givenName: string | undefined,
  options: DeleteOptions,
): Promise<ExitCode> {
  const name = await recordKey(context, givenName, "NAME", someSenderId);
  const input = { path: { name } };
  return confirmedDelete(
    context,
    {
      fetch: async () => (await context.service())["sender-id.fetch"](input),
      delete: async () => (await context.service())["sender-id.delete"](input),
    },
    (record) => `sender ID ${name} (${textOf(record["status"])})`,
    options,
  );
}
