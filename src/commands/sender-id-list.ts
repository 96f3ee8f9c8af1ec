import type { Context } from "../context.ts";
import type { ExitCode } from "../exit-codes.ts";
import { list, type ListOptions } from "./list.ts";
import { senderIdView } from "./views.ts";

/** Lists sender IDs. */
export async function listSenderIds(context: Context, options: ListOptions): Promise<ExitCode> {
  const service = await context.service();
  return list(context, (query) => service["sender-id.list"]({ query }), senderIdView, options);
}
