import { succeeded, type Reply } from "../../contract/service.ts";
import { SendctlError } from "../../contract/error.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Output, RecordSource } from "../../output/output.ts";
import { onePageReply, ownLine, type Line } from "../../output/replies.ts";
import type { RecordView } from "../../output/views.ts";
import { stayLean } from "../../runtime/lean-memory.ts";
import type { List } from "../../service/pages.ts";
import { streamList } from "../../service/stream-list.ts";
import type { Matches } from "./filter.ts";
import type { Sort } from "./sort.ts";

/** Which records of a list are shown. */
export interface Selection {
  /** Records to ask for at a time, where the user has said so. */
  readonly perPage: number | undefined;
  /** The most records to show. */
  readonly limit: number | undefined;
  readonly matches: Matches | undefined;
  readonly sort: Sort | undefined;
}

/** Page sizes that services usually accept end here. */
const largestPage = 1000;

/** How often a list that changes while it is read is read in all. */
const passes = 3;

/** Records that are shown at a time, once they are sorted. */
const batchSize = 1000;

type Show = (lines: readonly Line[]) => Promise<void>;

/** Reads a list, and shows the records that were selected. Without `sort`, they are shown while they are read. */
export async function selectRecords(
  output: Output,
  operation: List,
  view: RecordView,
  selection: Selection,
): Promise<ExitCode> {
  const { limit = Infinity, matches, sort } = selection;
  const progress = output.progress();
  /** What was read: records that match, and how many the list has. */
  const read = { matching: 0, total: 0, message: "" };
  const noting: List = async (query) => {
    const reply = await operation(query);
    if (succeeded(reply)) read.message = reply.envelope!.message;
    return reply;
  };
  const stream = async (show: Show): Promise<Reply | undefined> => {
    read.matching = 0;
    const streamed = await streamList(
      noting,
      selection.perPage,
      async (fresh, { count, total }) => {
        const found = matches === undefined ? fresh : fresh.filter(({ record }) => matches(record));
        const room = sort === undefined ? limit - read.matching : found.length;
        read.total = total;
        read.matching += Math.min(found.length, room);
        if (found.length > 0 && room > 0) await show(found.slice(0, room));
        await progress.update(`${count} of ${total} read`);
      },
      {
        ...(matches === undefined && sort === undefined
          ? { pageSize: Math.min(limit, largestPage) }
          : {}),
        isEnough: () => output.isUnread() || (sort === undefined && read.matching >= limit),
      },
    );
    return "refusal" in streamed ? streamed.refusal : undefined;
  };
  const collectOnce = async (): Promise<Reply | readonly Line[]> => {
    const lines: Line[] = [];
    const refusal = await stream(async (some) => {
      for (const line of some) lines.push(ownLine(line));
    });
    return refusal ?? (sort?.(lines) ?? lines).slice(0, limit);
  };
  /** Nothing is shown before all is read, so a list that changes meanwhile can be read again. */
  const collect = async (pass = 1): Promise<Reply | readonly Line[]> => {
    try {
      return await collectOnce();
    } catch (error) {
      const isIncomplete = error instanceof SendctlError && error.kind === "unexpected_response";
      if (!isIncomplete || pass === passes) throw error;
      return collect(pass + 1);
    }
  };
  const source: RecordSource = {
    whole: async () => {
      const collected = await collect();
      return "status" in collected ? collected : onePageReply(read.message, collected);
    },
    each: async (show) => {
      if (sort === undefined) return stream(show);
      const collected = await collect();
      if ("status" in collected) return collected;
      for (let at = 0; at < collected.length; at += batchSize) {
        await show(collected.slice(at, at + batchSize));
      }
      return undefined;
    },
  };
  try {
    await stayLean();
    const nothing = matches === undefined ? {} : { nothing: `No ${view.many} match` };
    const exitCode = await output.stream(source, view, nothing);
    const missing = missingText(read, selection);
    if (exitCode === exitCodes.done && missing !== undefined) await output.say(missing);
    return exitCode;
  } finally {
    await progress.done();
  }
}

/** Returns what `--limit` has left out, as far as that is known. */
function missingText(
  { matching, total }: { readonly matching: number; readonly total: number },
  { limit, matches, sort }: Selection,
): string | undefined {
  if (limit === undefined || matching < limit) return undefined;
  const known = matches === undefined ? total : sort === undefined ? undefined : matching;
  if (known === undefined) return `${limit} matching records; there may be more without --limit`;
  if (known <= limit) return undefined;
  const rest = matches === undefined ? "--all for the rest" : "omit --limit for the rest";
  return `${limit} of ${known} ${matches === undefined ? "" : "matching "}records; ${rest}`;
}
