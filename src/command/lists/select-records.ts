import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { holdLines } from "../../output/held-lines.ts";
import type { Output } from "../../output/output.ts";
import {
  type Line,
  type RecordSink,
  type RecordSource,
  type Total,
  totalText,
} from "../../service/lines.ts";
import type { RecordView } from "../../output/views.ts";
import type { ShownRecord } from "../../contract/service.ts";
import { type List, type ReadOptions, leanPages, readList } from "../../service/read-list.ts";

/** Returns whether a record matches. */
export type Matches = (record: ShownRecord) => boolean;

/** Returns the lines in sorted order. */
export type Sort = (lines: readonly Line[]) => readonly Line[];

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

/** Number of sorted records to show at a time. */
const batchSize = 1000;

/** Reads a list and shows the selected records; without `sort`, as they are read. */
export async function selectRecords(
  output: Output,
  operation: List,
  view: RecordView,
  selection: Selection,
): Promise<ExitCode> {
  const { perPage, limit = Infinity, matches, sort } = selection;
  const progress = output.progress();
  /** Numbers of matching records and of all records in the list. */
  const read = { matching: 0, total: { total: 0 } as Total };
  const list = leanPages(operation);
  const isFiltered = matches !== undefined || sort !== undefined;
  const options: ReadOptions = {
    perPage,
    ...(isFiltered ? {} : { pageSize: Math.min(limit, maxPageSize) }),
    isEnough: () => output.isUnread() || (sort === undefined && read.matching >= limit),
    progress: async (count, total) => {
      read.total = total;
      await progress.update(`${count} of ${totalText(total)} read`);
    },
  };
  /** Passes on the records that match, up to the limit unless they are sorted first. */
  const selecting = ({ add, clear }: RecordSink): RecordSink => ({
    add: async (lines) => {
      const found = matches === undefined ? lines : lines.filter(({ record }) => matches(record));
      const room = sort === undefined ? limit - read.matching : found.length;
      read.matching += Math.min(found.length, room);
      if (found.length > 0 && room > 0) await add(found.slice(0, room));
    },
    ...(clear === undefined
      ? {}
      : {
          clear: () => {
            read.matching = 0;
            clear();
          },
        }),
  });
  const source: RecordSource = async (sink) => {
    if (sort === undefined) return readList(list, selecting(sink), options);
    const held = holdLines();
    const holding = { add: async (lines: readonly Line[]) => held.add(lines), clear: held.clear };
    const result = await readList(list, selecting(holding), options);
    if ("refusal" in result) return result;
    const sorted = sort([...held]).slice(0, limit);
    for (let at = 0; at < sorted.length; at += batchSize) {
      await sink.add(sorted.slice(at, at + batchSize));
    }
    return result;
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
