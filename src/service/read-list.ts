import type { Reply, ShownRecord } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import type { RecordSink, Total } from "./lines.ts";
import { readPages, type List, type PageOptions, type PagesRead } from "./pages.ts";

/** Maximum number of times that a list is read if it changes meanwhile. */
const maxPasses = 3;

export interface ReadOptions extends PageOptions {
  /** Called after each page. @param total as the service says */
  readonly progress?: (count: number, total: Total) => Promise<void>;
  /** Returns whether enough records were read. The list then counts as whole. */
  readonly isEnough?: () => boolean;
}

/**
 * Reads every record of a list once, page by page, in the service's order. If records are deleted meanwhile or some are
 * missing, the list is read again, up to three times, unless its records cannot be taken back.
 *
 * @throws SendctlError "unexpected_response" if the list is incomplete
 */
export async function readList(
  list: List,
  sink: RecordSink,
  options: ReadOptions = {},
): Promise<PagesRead> {
  for (let pass = 1; ; pass += 1) {
    const read = await readOnce(list, sink, options);
    if ("refusal" in read) return read;
    const mayRepeat = sink.clear !== undefined && pass < maxPasses && !read.isFinal;
    if (read.isWhole && !(read.hasShrunk && mayRepeat)) return read;
    if (!mayRepeat) throw incomplete(read.count, read.total);
    sink.clear();
  }
}

async function readOnce(
  list: List,
  { add }: RecordSink,
  { progress, isEnough, ...options }: ReadOptions,
): Promise<PagesRead> {
  const pages = readPages(list, options);
  for (;;) {
    const { done, value } = await pages.next();
    if (done === true) return value;
    const { lines, page, message, count } = value;
    if (lines.length > 0) await add(lines);
    await progress?.(count, page);
    if (isEnough?.() === true) {
      const { total } = page;
      return { isWhole: true, isFinal: false, hasShrunk: false, message, count, total };
    }
  }
}

/** Passes every record of a list to `take`; returns the refusal if the service refuses. @throws as `readList` */
export async function eachRecord(
  list: List,
  take: (record: ShownRecord) => void,
): Promise<Reply | undefined> {
  const read = await readList(list, {
    add: async (lines) => {
      for (const { record } of lines) take(record);
    },
  });
  return "refusal" in read ? read.refusal : undefined;
}

/** Returns the error for an incomplete list. @param count number of records received */
function incomplete(count: number, total: number): SendctlError {
  const expected = count < total ? String(total) : "more";
  return new SendctlError(
    "unexpected_response",
    `the list is incomplete: received ${count} records, expected ${expected}`,
    { hint: "try again; a service that ignores `page` may not return all of its records" },
  );
}
