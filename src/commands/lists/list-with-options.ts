import type { Capabilities } from "../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Output } from "../../output/output.ts";
import type { RecordView } from "../../output/views.ts";
import type { List } from "../../service/pages.ts";
import { contradiction, durationOf, wholeNumber } from "../arguments.ts";
import type { FurtherOptions, ListOptions } from "../common-options.ts";
import { filterOf } from "./filter.ts";
import { layoutOf } from "./layout.ts";
import { selectRecords, type Selection } from "./select-records.ts";
import { sortOf } from "./sort.ts";

/**
 * Lists records with more than the paging options. Filters and `--sort` read all pages, because the service has
 * neither.
 *
 * @param listPages lists with the paging options alone
 * @throws SendctlError "usage" for invalid or contradicting options, before any request
 */
export async function listWithOptions(
  { output, clock }: Pick<Capabilities, "output" | "clock">,
  operation: List,
  view: RecordView,
  options: ListOptions & FurtherOptions,
  listPages: (view: RecordView) => Promise<ExitCode>,
): Promise<ExitCode> {
  refuseContradictions(options);
  const selection: Selection = {
    perPage: wholeNumber(options.perPage, "--per-page"),
    limit: wholeNumber(options.limit, "--limit", 1),
    matches: filterOf(options),
    sort: sortOf(options.sort, view),
  };
  const shown = layoutOf(options, view, output);
  const interval = durationOf(options.watch, "--watch");
  const { limit, matches, sort } = selection;
  const isSelective = [limit, matches, sort].some((one) => one !== undefined);
  const once = (): Promise<ExitCode> =>
    isSelective ? selectRecords(output, operation, shown, selection) : listPages(shown);
  return interval === undefined ? once() : repeat(once, interval, output, clock);
}

/** Keys of the options that select records. */
const selecting = ["search", "name", "status", "sort", "limit"] as const;

function refuseContradictions(options: ListOptions & FurtherOptions): void {
  if (options.all && options.page !== undefined) throw contradiction("--all", "--page");
  if (options.all && options.limit !== undefined) throw contradiction("--all", "--limit");
  const found = selecting.find((key) => options[key] !== undefined);
  if (options.page !== undefined && found !== undefined)
    throw contradiction(`--${found}`, "--page");
}

/**
 * Repeats a list until it fails or its output is closed. A terminal shows only the latest list.
 *
 * @param interval milliseconds between the end of one list and the start of the next
 * @throws SendctlError "cancelled" or "terminated" on a signal
 */
async function repeat(
  list: () => Promise<ExitCode>,
  interval: number,
  output: Pick<Output, "redraw" | "isUnread">,
  clock: Capabilities["clock"],
): Promise<ExitCode> {
  for (;;) {
    output.redraw();
    const exitCode = await list();
    if (exitCode !== exitCodes.done || output.isUnread()) return exitCode;
    await clock.sleep(interval);
  }
}
