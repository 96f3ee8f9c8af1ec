import type { Context } from "../../cli/context.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { recordKey, someGroup } from "../arguments.ts";
import { textOf } from "../../output/views.ts";
import { confirmedDelete, type DeleteOptions } from "../confirm-delete.ts";

/** Deletes a group, once that is confirmed. */
export async function deleteGroup(
  context: Context,
  givenId: string | undefined,
  options: DeleteOptions,
): Promise<ExitCode> {
  const id = await recordKey(context, givenId, "ID", someGroup);
  const input = { path: { id } };
  return confirmedDelete(
    context,
    {
      fetch: async () => (await context.service())["group.fetch"](input),
      delete: async () => (await context.service())["group.delete"](input),
    },
    (record) => `group ${id} (${textOf(record["name"])}) and its contacts`,
    options,
  );
}
