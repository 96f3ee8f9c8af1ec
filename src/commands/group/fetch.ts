import type { Context } from "../../cli/context.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { recordKey, someGroup } from "../arguments.ts";
import { groupView } from "../../output/views.ts";

/** Shows a group. */
export async function fetchGroup(context: Context, givenId: string | undefined): Promise<ExitCode> {
  const id = await recordKey(context, givenId, "ID", someGroup);
  const service = await context.service();
  return context.output.record(await service["group.fetch"]({ path: { id } }), groupView);
}
