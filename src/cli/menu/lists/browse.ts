import type { ShownRecord } from "../../../contract/service.ts";
import type { RecordView } from "../../../output/views.ts";
import { safeText } from "../../../output/safe-text.ts";
import { optionWords, type Line } from "../words.ts";
import type { Session } from "../session.ts";
import type { PageSource, ShownPage } from "./page-source.ts";
import { recordLines } from "./record-lines.ts";

/** An action on a record of a list. */
export interface Action {
  readonly name: string;
  /** Asks for details. @returns the line that performs it; undefined if nothing is left to do */
  readonly ask: (session: Session) => Promise<Line | undefined>;
}

/** A list of the menu. */
export interface Listing {
  /** The command that prints the list. */
  readonly line: Line;
  readonly view: RecordView;
  /** The owner of the records, like `of group 12`. */
  readonly of?: string;
  /** Whether the command accepts `--page` and `--search`. */
  readonly takes: { readonly page: boolean; readonly search: boolean };
  readonly pages: PageSource;
  /** Undefined if the list cannot be searched. */
  readonly find?: (text: string) => PageSource;
  readonly actions: (record: ShownRecord) => readonly Action[];
}

/** The shown part of a list: a page of all records or of search results. */
interface Position {
  readonly page: number;
  readonly search: string | undefined;
}

const back = { value: "back", name: "Back" };

/** Shows a list page by page and performs the chosen actions on its records, until "Back" is chosen. */
export async function browse(session: Session, listing: Listing): Promise<void> {
  let position: Position = { page: 1, search: undefined };
  let echoed: Position | undefined;
  let initial: string | undefined;
  for (;;) {
    const shown = await read(listing, position);
    // For a refusal or an empty list, the command prints its own message.
    if (shown === undefined || (shown.total === 0 && position.search === undefined)) {
      return session.run(listing.line);
    }
    if (shown.page !== position.page && position.search === undefined) {
      await noteOtherPage(session, position.page, shown);
    }
    position = { ...position, page: shown.page };
    if (echoed?.page !== position.page || echoed.search !== position.search) {
      await echo(session, listing, position);
    }
    echoed = position;
    const chosen = await choose(session, listing, shown, position, initial);
    initial = chosen;
    if (chosen === "back") return undefined;
    if (chosen === "next") position = { ...position, page: shown.page + 1 };
    else if (chosen === "previous") position = { ...position, page: shown.page - 1 };
    else if (chosen === "all") position = { page: 1, search: undefined };
    else if (chosen === "search") {
      const text = await session.prompter.ask(`Search ${listing.view.many} for`);
      position = { page: 1, search: text };
      initial = undefined;
    } else await act(session, listing, shown.records[Number(chosen)]!);
  }
}

async function read(listing: Listing, { page, search }: Position): Promise<ShownPage | undefined> {
  const pages = search === undefined ? listing.pages : listing.find!(search);
  return pages(page);
}

/** Warns if the service ignored the requested page, unless that page no longer exists. */
async function noteOtherPage({ say }: Session, wanted: number, shown: ShownPage) {
  if (wanted > shown.lastPage) return;
  await say(`Warning: the service returned page ${shown.page} instead of page ${wanted}`);
}

/** Shows the command that prints the same records, if there is one. */
async function echo(session: Session, listing: Listing, { page, search }: Position): Promise<void> {
  const { line, takes } = listing;
  if (search !== undefined) {
    if (!takes.search || page > 1) return;
    return session.show({ ...line, args: [...line.args, ...optionWords("--search", search)] });
  }
  if (page === 1) return session.show(line);
  if (takes.page) return session.show({ ...line, args: [...line.args, "--page", String(page)] });
}

async function choose(
  { prompter }: Session,
  listing: Listing,
  shown: ShownPage,
  { search }: Position,
  initial: string | undefined,
): Promise<string> {
  const { view, find } = listing;
  // Leaves room for the cursor and a space before a choice, and for a free last column.
  const lines = await recordLines(shown.records, view, prompter.columns() - "❯  ".length);
  const choices = [
    ...lines.map((name, index) => ({ value: String(index), name })),
    ...(shown.page < shown.lastPage ? [{ value: "next", name: "Next page" }] : []),
    ...(shown.page > 1 ? [{ value: "previous", name: "Previous page" }] : []),
    ...(find === undefined ? [] : [{ value: "search", name: "Search" }]),
    ...(search === undefined ? [] : [{ value: "all", name: `All ${view.many}` }]),
    back,
  ];
  const hasInitial = choices.some(({ value }) => value === initial);
  return prompter.select(
    titleOf(listing, shown, search),
    choices,
    hasInitial ? initial : undefined,
  );
}

function titleOf({ view, of }: Listing, shown: ShownPage, search: string | undefined): string {
  const { page, lastPage, total, hasMore } = shown;
  const count = `${total} ${total === 1 ? view.one : view.many}`;
  return [
    `${count}${of === undefined ? "" : ` ${of}`}`,
    ...(search === undefined ? [] : [`with “${safeText(search)}”`]),
    ...(hasMore === true ? ["the newest are shown"] : []),
    ...(lastPage > 1 ? [`page ${page} of ${lastPage}`] : []),
  ].join(", ");
}

/** Asks for an action on a record and performs it. */
async function act(session: Session, { view, actions }: Listing, record: ShownRecord) {
  const offered = actions(record);
  const [name] = await recordLines([record], view, session.prompter.columns() - "?  ".length);
  const chosen = await session.prompter.select(name!, [
    ...offered.map((action, index) => ({ value: String(index), name: action.name })),
    back,
  ]);
  const line = await offered[Number(chosen)]?.ask(session);
  if (line !== undefined) await session.run(line);
}
