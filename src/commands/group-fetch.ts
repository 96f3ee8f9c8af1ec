import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { showRecord } from "./answer.ts";
import { recordKey, someGroup } from "./arguments.ts";
import { groupView } from "./views.ts";

/** Shows a group. */
export async function fetchGroup(context: Context, givenId: string | undefined): Promise<ExitCode> {
  const id = await recordKey(context, givenId, "ID", someGroup);
  const service = await context.service();
  return showRecord(context, await service["group.fetch"]({ path: { id } }), groupView);
}
