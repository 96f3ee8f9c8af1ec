import type { Context } from "../context.ts";
import type { PageQuery, Reply } from "../contract/service.ts";
import type { ExitCode } from "../exit-codes.ts";
import { Failure } from "../failure.ts";
import { showPage } from "./answer.ts";
import { wholeNumber } from "./arguments.ts";
import type { RecordView } from "./views.ts";
import { wholeList } from "./whole-list.ts";

export interface ListOptions {
  readonly perPage?: string;
  readonly page?: string;
  readonly all?: boolean;
}

/** Lists a page of records, or with `--all` every one of them. */
export async function list(
  context: Context,
  operation: (query: PageQuery) => Promise<Reply>,
  view: RecordView,
  options: ListOptions,
): Promise<ExitCode> {
  const perPage = wholeNumber(options.perPage, "--per-page");
  const page = wholeNumber(options.page, "--page");
  if (options.all !== true) {
    const query = {
      ...(perPage === undefined ? {} : { perPage }),
      ...(page === undefined ? {} : { page }),
    };
    return showPage(context, await operation(query), view);
  }
  if (page !== undefined) {
    throw new Failure("usage", "--all and --page contradict each other: give one");
  }
  return showPage(context, await wholeList(operation, perPage), view);
}
