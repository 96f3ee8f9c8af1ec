import type { Context } from "../cli/capabilities.ts";
import type { Page } from "../contract/records.ts";
import type { RecordStream } from "../contract/contacts.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { doneReply, linesFor, showPage, showRefusal } from "./answer.ts";
import type { Line } from "./lines.ts";
import { createProgress } from "./progress.ts";
import type { RecordView } from "./views.ts";

/**
 * Shows every record: as one page, or while they are read, in constant memory.
 *
 * @param nothing what a table says where there are none; without it, how to create one
 */
export async function showStream<Item extends object>(
  context: Context,
  stream: RecordStream<Item>,
  view: RecordView,
  nothing?: string,
): Promise<ExitCode> {
  if ("refusal" in stream) return showRefusal(context, stream.refusal);
  const { format } = context.settings;
  const progress = createProgress(context);
  try {
    if (format === "table" || format === "json") {
      const items: Item[] = [];
      for await (const some of stream.pages) {
        for (const item of some) items.push(item);
        await progress.update(`${items.length} read`);
      }
      await progress.done();
      if (format === "table" && items.length === 0 && nothing !== undefined) {
        await context.say(nothing);
        return exitCodes.done;
      }
      return await showPage(context, doneReply(stream.message, onePage(items)), view);
    }
    const { head, lines } = linesFor(context, format, view);
    let count = 0;
    for await (const some of stream.pages) {
      const texts = some.map(lineOf);
      await context.print((count === 0 ? head(texts[0]) : "") + lines(texts));
      count += some.length;
      await progress.update(`${count} shown`);
    }
    if (count === 0) await context.print(head(undefined));
    return exitCodes.done;
  } finally {
    await progress.done();
  }
}

function onePage<Item>(data: readonly Item[]): Page<Item> {
  const count = data.length;
  return { data, current_page: 1, last_page: 1, per_page: count, total: count };
}

function lineOf(item: object): Line {
  return { record: item as Line["record"], text: JSON.stringify(item) };
}
