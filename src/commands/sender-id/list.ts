import type { Context } from "../../cli/context.ts";
import type { PageQuery, Reply } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { list, type ListOptions } from "../list.ts";
import { senderIdView } from "../../output/views.ts";

/** Lists sender IDs. */
export async function listSenderIds(context: Context, options: ListOptions): Promise<ExitCode> {
  const operation = async (query: PageQuery): Promise<Reply> =>
    (await context.service())["sender-id.list"]({ query });
  return list(context, operation, senderIdView, options);
}
