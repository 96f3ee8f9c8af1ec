import { type Page, type ShownRecord, succeeded } from "../../contract/service.ts";
import { cutToWidth, displayWidth, prepareToMeasure } from "../../output/table/display-width.ts";
import type { RecordView } from "../../output/views.ts";
import { findRecord, labelOf } from "../../output/prompts/pick-record.ts";
import { pageOf, type Listing } from "./listings.ts";
import { orEscape, type Line, type Session } from "./session.ts";

const back = { value: "back", name: "Back" };

/**
 * Shows a list page by page and performs the chosen actions on its records, until "Back" is chosen.
 *
 * @param line the command that prints the list
 */
export async function browse(session: Session, listing: Listing, line: Line): Promise<void> {
  const { context, prompter, say, show, run } = session;
  const { view } = listing;
  let page = 1;
  let echoed = 0;
  let initial: string | undefined;
  for (;;) {
    const list = listing.list(context(), line.args, line.path[0] === "local");
    const reply = await list(page === 1 ? {} : { page });
    // For a refusal or an empty list, the command prints its own message.
    if (!succeeded(reply) || pageOf(reply).total === 0) return run(line);
    const shown = pageOf(reply);
    // The last page may have become empty.
    if (shown.data.length === 0 && page > 1) {
      page = Math.min(page - 1, Math.max(1, shown.last_page));
      continue;
    }
    if (shown.current_page !== page && page <= shown.last_page) {
      await say(`Warning: the service returned page ${shown.current_page} instead of page ${page}`);
    }
    page = shown.current_page;
    const pageOption = page === 1 ? [] : ["--page", String(page)];
    if (echoed !== page) await show({ ...line, args: [...line.args, ...pageOption] });
    echoed = page;
    const lines = await recordLines(shown.data, view, prompter.columns());
    const choices = [
      ...lines.map((name, index) => ({ value: String(index), name })),
      ...(page < shown.last_page ? [{ value: "next", name: "Next page" }] : []),
      ...(page > 1 ? [{ value: "previous", name: "Previous page" }] : []),
      { value: "search", name: "Search" },
      back,
    ];
    const hasInitial = choices.some(({ value }) => value === initial);
    const title = titleOf(view, line, shown);
    const preset = hasInitial ? initial : undefined;
    initial = await orEscape(() => prompter.select(title, choices, preset), back.value);
    if (initial === "back") return undefined;
    if (initial === "next") page += 1;
    else if (initial === "previous") page -= 1;
    else {
      const chosen = shown.data[Number(initial)];
      const choose = async (): Promise<void> =>
        act(session, listing, line, chosen ?? (await findRecord(prompter, list, view)));
      await orEscape(choose, undefined);
    }
  }
}

function titleOf({ one, many }: RecordView, { args }: Line, page: Page<unknown>): string {
  const { total, current_page, last_page } = page;
  return [
    `${total} ${total === 1 ? one : many}`,
    ...(args.length === 0 ? [] : [` of group ${args[0]}`]),
    ...(last_page > 1 ? [`, page ${current_page} of ${last_page}`] : []),
  ].join("");
}

/** Asks for an action on a record and performs it, again after each that only shows the record. */
async function act(session: Session, listing: Listing, line: Line, record: ShownRecord) {
  const { context, prompter, perform } = session;
  const { view, actions } = listing;
  const isEmbedded = context().config.settings.baseUrl === undefined || line.path[0] === "local";
  const [title] = await recordLines([record], view, prompter.columns());
  const offered = actions.filter(([, command]) => isEmbedded || !command.startsWith("local "));
  const choices = [...offered.map(([name, command]) => ({ value: command, name })), back];
  let chosen: string | undefined;
  do {
    chosen = await prompter.select(title!, choices, chosen);
    if (chosen === back.value) return;
    await perform(chosen, [...line.args, String(record[view.key])], record);
  } while (offered.some(([, command, onlyShows]) => command === chosen && onlyShows === true));
}

/** Leaves room for the cursor and a space before a choice, and for a free last column. */
const reserved = "❯  ".length;

/** Returns a line for each record, cut to the width of the terminal. */
async function recordLines(
  records: readonly ShownRecord[],
  view: RecordView,
  columns: number,
): Promise<readonly string[]> {
  await prepareToMeasure(records.map((record) => labelOf(record, view)));
  const width = columns - reserved;
  const cutName = (name: string, id: string): string => cutToWidth(name, width - displayWidth(id));
  return records.map((record) => cutToWidth(labelOf(record, view, cutName), width));
}
