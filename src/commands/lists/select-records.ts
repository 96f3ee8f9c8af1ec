import { succeeded, type Reply } from "../../contract/service.ts";
import { SendctlError } from "../../contract/error.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Collector, Output, RecordSource } from "../../output/output.ts";
import { ownLine, totalText, type Line, type Total } from "../../output/replies.ts";
import type { RecordView } from "../../output/views.ts";
import { leanPages } from "../../runtime/lean-memory.ts";
import type { List } from "../../service/pages.ts";
import { streamList } from "../../service/stream-list.ts";
import type { Matches } from "./filter.ts";
import type { Sort } from "./sort.ts";

/** Which records of a list are shown. */
export interface Selection {
  /** Page size, if the user chose one. */
  readonly perPage: number | undefined;
  /** Maximum number of records to show. */
  readonly limit: number | undefined;
  readonly matches: Matches | undefined;
  readonly sort: Sort | undefined;
}

/** The largest page size that services usually accept. */
const maxPageSize = 1000;

/** Maximum number of times to read a list that changes while it is read. */
const maxPasses = 3;

/** Number of sorted records to show at a time. */
const batchSize = 1000;

type Show = (lines: readonly Line[]) => Promise<void>;

/** Reads a list and shows the selected records; without `sort`, as they are read. */
export async function selectRecords(
  output: Output,
  operation: List,
  view: RecordView,
  selection: Selection,
): Promise<ExitCode> {
  const { limit = Infinity, matches, sort } = selection;
  const progress = output.progress();
  /** Numbers of matching records and of all records in the list, and whether some were deleted meanwhile. */
  const read = { matching: 0, total: { total: 0 } as Total, message: "", hasShrunk: false };
  const lean = leanPages(operation);
  const noting: List = async (query) => {
    const reply = await lean(query);
    if (succeeded(reply)) read.message = reply.envelope!.message;
    return reply;
  };
  const stream = async (show: Show): Promise<Reply | undefined> => {
    read.matching = 0;
    const streamed = await streamList(
      noting,
      selection.perPage,
      async (fresh, { count, ...total }) => {
        const found = matches === undefined ? fresh : fresh.filter(({ record }) => matches(record));
        const room = sort === undefined ? limit - read.matching : found.length;
        read.total = total;
        read.matching += Math.min(found.length, room);
        if (found.length > 0 && room > 0) await show(found.slice(0, room));
        await progress.update(`${count} of ${totalText(total)} read`);
      },
      {
        ...(matches === undefined && sort === undefined
          ? { pageSize: Math.min(limit, maxPageSize) }
          : {}),
        isEnough: () => output.isUnread() || (sort === undefined && read.matching >= limit),
      },
    );
    if ("refusal" in streamed) return streamed.refusal;
    read.hasShrunk = streamed.hasShrunk;
    return undefined;
  };
  /** Shows the records in sorted order. They are in memory until then. */
  const streamSorted = async (show: Show, by: Sort): Promise<Reply | undefined> => {
    const lines: Line[] = [];
    const refusal = await stream(async (some) => {
      for (const line of some) lines.push(ownLine(line));
    });
    if (refusal !== undefined) return refusal;
    const sorted = by(lines).slice(0, limit);
    for (let at = 0; at < sorted.length; at += batchSize) {
      await show(sorted.slice(at, at + batchSize));
    }
    return undefined;
  };
  /** Reads everything before showing anything, so that a list that changes meanwhile can be read again. */
  const collect = async (collector: Collector, pass = 1): Promise<Reply | undefined> => {
    read.hasShrunk = false;
    try {
      const { add } = collector;
      const refusal = await (sort === undefined ? stream(add) : streamSorted(add, sort));
      if (refusal !== undefined || !read.hasShrunk || pass === maxPasses) return refusal;
    } catch (error) {
      const isIncomplete = error instanceof SendctlError && error.kind === "unexpected_response";
      if (!isIncomplete || pass === maxPasses) throw error;
    }
    collector.clear();
    return collect(collector, pass + 1);
  };
  const source: RecordSource = {
    whole: async (collector) => {
      const refusal = await collect(collector);
      return refusal === undefined ? { message: read.message } : { refusal };
    },
    each: async (show) => {
      if (sort === undefined) return stream(show);
      let batches: (readonly Line[])[] = [];
      const refusal = await collect({
        add: async (batch) => void batches.push(batch),
        clear: () => (batches = []),
      });
      if (refusal !== undefined) return refusal;
      for (const batch of batches) await show(batch);
      return undefined;
    },
  };
  try {
    const nothing = matches === undefined ? {} : { nothing: `No ${view.many} match` };
    const exitCode = await output.stream(source, view, nothing);
    const missing = missingText(read, selection);
    if (exitCode === exitCodes.done && missing !== undefined) await output.say(missing);
    return exitCode;
  } finally {
    await progress.done();
  }
}

/** Returns a line about the records that `--limit` omits, as far as known. */
function missingText(
  { matching, total }: { readonly matching: number; readonly total: Total },
  { limit, matches, sort }: Selection,
): string | undefined {
  if (limit === undefined || matching < limit) return undefined;
  const known =
    matches === undefined ? total : sort === undefined ? undefined : { total: matching };
  if (known === undefined) return `${limit} matching records; there may be more without --limit`;
  if (known.total <= limit) return undefined;
  const rest = matches === undefined ? "--all for the rest" : "omit --limit for the rest";
  return `${limit} of ${totalText(known)} ${matches === undefined ? "" : "matching "}records; ${rest}`;
}
