import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { required } from "./arguments.ts";
import { contactView } from "./contact-views.ts";
import { list, type ListOptions } from "./list.ts";

/** Lists what a group of the embedded database holds. */
export async function listContacts(
  context: Context,
  givenId: string | undefined,
  options: ListOptions,
): Promise<ExitCode> {
  const groupId = await required(context, givenId, "GROUP_ID", "Id of the group");
  return list(
    context,
    async (query) => (await context.contacts()).list(groupId, query),
    contactView,
    options,
    async (query) => (await context.contacts()).all(groupId, query),
  );
}
