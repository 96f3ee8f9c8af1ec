import type { Context } from "../../../cli/context.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { localRecordKey, someGroup } from "../../arguments.ts";
import { contactView } from "./views.ts";
import { list, type ListOptions } from "../../list.ts";

/** Lists what a group of the embedded database holds. */
export async function listContacts(
  context: Context,
  givenId: string | undefined,
  options: ListOptions,
): Promise<ExitCode> {
  const groupId = await localRecordKey(context, givenId, "GROUP_ID", someGroup);
  return list(
    context,
    async (query) => (await context.contacts()).list(groupId, query),
    contactView,
    options,
    async (query) => (await context.contacts()).all(groupId, query),
  );
}
