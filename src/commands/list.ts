import type { Context } from "../cli/capabilities.ts";
import type { RecordStream } from "../contract/contacts.ts";
import type { Page } from "../contract/records.ts";
import { succeeded, type PageQuery, type Reply } from "../contract/service.ts";
import { exitCodes, type ExitCode } from "../output/exit-codes.ts";
import { SendctlError } from "../contract/error.ts";
import { linesFor, showPage, showRefusal } from "../output/answer.ts";
import { wholeNumber } from "./arguments.ts";
import { createProgress } from "../output/progress.ts";
import { streamList } from "../service/stream-list.ts";
import type { RecordView } from "../output/views.ts";
import { stayLean } from "../runtime/lean-memory.ts";
import { wholeList } from "../service/whole-list.ts";

export interface ListOptions {
  readonly perPage?: string;
  readonly page?: string;
  readonly all?: boolean;
}

/**
 * Lists a page of records, or with `--all` every one of them.
 *
 * @param stream reads every one, where there is a better way than page by page
 */
export async function list(
  context: Context,
  operation: (query: PageQuery) => Promise<Reply>,
  view: RecordView,
  options: ListOptions,
  stream?: (query: PageQuery) => Promise<RecordStream<object>>,
): Promise<ExitCode> {
  const perPage = wholeNumber(options.perPage, "--per-page");
  const page = wholeNumber(options.page, "--page");
  if (options.all !== true) {
    const query = {
      ...(perPage === undefined ? {} : { perPage }),
      ...(page === undefined ? {} : { page }),
    };
    const reply = await operation(query);
    if (page !== undefined) refuseOtherPage(reply, page);
    return showPage(context, reply, view);
  }
  if (page !== undefined) {
    throw new SendctlError("usage", "--all and --page contradict each other: give one");
  }
  if (stream !== undefined) {
    const { showStream } = await import("../output/show-stream.ts");
    return showStream(context, await stream(perPage === undefined ? {} : { perPage }), view);
  }
  const { format } = context.settings;
  const progress = createProgress(context);
  const counted = async (query: PageQuery): Promise<Reply> => {
    const reply = await operation(query);
    await progress.update(`Page ${query.page ?? 1}`);
    return reply;
  };
  try {
    if (format === "table" || format === "json") {
      const whole = await wholeList(counted, perPage);
      await progress.done();
      return await showPage(context, whole, view);
    }
    await stayLean();
    const { head, lines } = linesFor(context, format, view);
    let isFirst = true;
    const streamed = await streamList(operation, perPage, async (fresh, { count, total }) => {
      await context.print((isFirst ? head(fresh[0]) : "") + lines(fresh));
      isFirst = false;
      await progress.update(`${count} of ${total}`);
    });
    return "refusal" in streamed ? await showRefusal(context, streamed.refusal) : exitCodes.done;
  } finally {
    await progress.done();
  }
}

/** @throws SendctlError "unexpected_response" where the service shows a page that was not asked for */
function refuseOtherPage(reply: Reply, page: number): void {
  if (!succeeded(reply)) return;
  const { current_page } = reply.envelope!.data as Page<unknown>;
  if (current_page === page) return;
  throw new SendctlError(
    "unexpected_response",
    `the service shows page ${current_page} instead of page ${page}`,
    { hint: "read the whole list with --all" },
  );
}
