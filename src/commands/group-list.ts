import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { list, type ListOptions } from "./list.ts";
import { groupView } from "./views.ts";

/** Lists groups. */
export async function listGroups(context: Context, options: ListOptions): Promise<ExitCode> {
  const service = await context.service();
  return list(context, (query) => service["group.list"]({ query }), groupView, options);
}
