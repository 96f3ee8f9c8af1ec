import type { RecordStream } from "../../contract/contacts.ts";
import type { Page, PageQuery, Reply } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../core/error.ts";
import type { Session } from "../session.ts";
import { type RecordSink, type Total, totalText } from "../../service/lines.ts";
import { contradiction, wholeNumber } from "../arguments.ts";
import type { FurtherOptions, ListOptions } from "./options.ts";
import { leanPages, type List, readList } from "../../service/read-list.ts";
import { recordSource } from "../../output/status/progress.ts";
import type { RecordView } from "../../output/views.ts";

/**
 * Lists one page of records, all of them with `--all`, or the selection of the further options.
 *
 * @param stream reads all records, if there is a faster way than page by page
 */
export async function list(
  context: Pick<Session, "output" | "clock" | "config">,
  operation: List,
  view: RecordView,
  options: ListOptions & FurtherOptions,
  stream?: (query: PageQuery) => Promise<RecordStream<object>>,
): Promise<ExitCode> {
  const { perPage: _perPage, page: _page, all: _all, ...further } = options;
  const shownAs = (shown: RecordView): Promise<ExitCode> =>
    listPages(context, operation, shown, options, stream);
  if (Object.values(further).every((value) => value === undefined || value === false)) {
    return shownAs(view);
  }
  const { listWithOptions } = await import("./select.ts");
  return listWithOptions(context, operation, view, options, shownAs);
}

async function listPages(
  { output }: Pick<Session, "output">,
  operation: List,
  view: RecordView,
  options: ListOptions,
  stream?: (query: PageQuery) => Promise<RecordStream<object>>,
): Promise<ExitCode> {
  const perPage = wholeNumber(options.perPage, "--per-page");
  const page = wholeNumber(options.page, "--page");
  if (!options.all && (page !== undefined || output.query === undefined)) {
    const size = perPage === undefined ? {} : { perPage };
    const reply = await operation(page === undefined ? size : { ...size, page });
    if (page !== undefined) refuseOtherPage(reply, page);
    return output.page(reply, view);
  }
  if (page !== undefined) throw contradiction("--all", "--page");
  const progress = output.progress();
  const counted = (count: number, total: Total): Promise<void> =>
    progress.update(`${count} of ${totalText(total)}`);
  try {
    const source =
      stream === undefined
        ? (sink: RecordSink) => readList(leanPages(operation), sink, { perPage, progress: counted })
        : recordSource(await stream(perPage === undefined ? {} : { perPage }), progress);
    return await output.stream(source, view);
  } finally {
    await progress.done();
  }
}

/** Rejects a page other than the requested one. @throws SendctlError "unexpected_response" */
function refuseOtherPage(reply: Reply, page: number): void {
  const { current_page } = reply.envelope!.data as Page<unknown>;
  if (current_page === page) return;
  throw new SendctlError(
    "unexpected_response",
    `the service returned page ${current_page} instead of page ${page}`,
    { hint: "read the whole list with --all" },
  );
}
