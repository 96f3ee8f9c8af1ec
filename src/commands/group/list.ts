import type { Context } from "../../cli/context.ts";
import type { PageQuery, Reply } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { list, type ListOptions } from "../list.ts";
import { groupView } from "../../output/views.ts";

/** Lists groups. */
export async function listGroups(context: Context, options: ListOptions): Promise<ExitCode> {
  const operation = async (query: PageQuery): Promise<Reply> =>
    (await context.service())["group.list"]({ query });
  return list(context, operation, groupView, options);
}
