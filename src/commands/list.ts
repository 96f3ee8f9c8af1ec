import type { RecordStream } from "../contract/contacts.ts";
import type { Page } from "../contract/records.ts";
import { succeeded, type PageQuery, type Reply } from "../contract/service.ts";
import type { ExitCode } from "../output/exit-codes.ts";
import { SendctlError } from "../contract/error.ts";
import type { Capabilities } from "../cli/capabilities.ts";
import type { RecordSource } from "../output/output.ts";
import type { Progress } from "../output/progress.ts";
import { contradiction, wholeNumber } from "./arguments.ts";
import type { FurtherOptions, ListOptions } from "./common-options.ts";
import type { List } from "../service/pages.ts";
import { streamList } from "../service/stream-list.ts";
import { recordSource } from "../output/lists/record-source.ts";
import type { RecordView } from "../output/views.ts";
import { leanPages } from "../runtime/lean-memory.ts";
import { wholeList } from "../service/whole-list.ts";

/**
 * Lists one page of records, all of them with `--all`, or the selection of the further options.
 *
 * @param stream reads all records, if there is a faster way than page by page
 */
export async function list(
  context: Pick<Capabilities, "output" | "clock">,
  operation: List,
  view: RecordView,
  options: ListOptions & FurtherOptions,
  stream?: (query: PageQuery) => Promise<RecordStream<object>>,
): Promise<ExitCode> {
  if (!hasFurtherOptions(options)) {
    return listPages(context, operation, view, options, stream);
  }
  const { listWithOptions } = await import("./lists/list-with-options.ts");
  return listWithOptions(context, operation, view, options, (shown) =>
    listPages(context, operation, shown, options, stream),
  );
}

const pageKeys: ReadonlySet<string> = new Set(["perPage", "page", "all"]);

function hasFurtherOptions(options: object): boolean {
  const given = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  return given.some(([key]) => !pageKeys.has(key));
}

async function listPages(
  { output }: Pick<Capabilities, "output">,
  operation: List,
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
    return output.page(reply, view);
  }
  if (page !== undefined) throw contradiction("--all", "--page");
  const progress = output.progress();
  try {
    const source =
      stream === undefined
        ? listSource(operation, perPage, progress)
        : recordSource(await stream(perPage === undefined ? {} : { perPage }), progress);
    return await output.stream(source, view);
  } finally {
    await progress.done();
  }
}

/** Returns all records of an operation, read page by page. */
function listSource(
  operation: List,
  perPage: number | undefined,
  progress: Progress,
): RecordSource {
  const lean = leanPages(operation);
  const counted: List = async (query) => {
    const reply = await lean(query);
    await progress.update(`Page ${query.page ?? 1}`);
    return reply;
  };
  return {
    whole: (collector) => wholeList(counted, perPage, collector),
    each: async (show) => {
      const streamed = await streamList(lean, perPage, async (fresh, { count, total }) => {
        await show(fresh);
        await progress.update(`${count} of ${total}`);
      });
      return "refusal" in streamed ? streamed.refusal : undefined;
    },
  };
}

/** Rejects a page other than the requested one. @throws SendctlError "unexpected_response" */
function refuseOtherPage(reply: Reply, page: number): void {
  if (!succeeded(reply)) return;
  const { current_page } = reply.envelope!.data as Page<unknown>;
  if (current_page === page) return;
  throw new SendctlError(
    "unexpected_response",
    `the service returned page ${current_page} instead of page ${page}`,
    { hint: "read the whole list with --all" },
  );
}
