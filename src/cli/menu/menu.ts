import { SendctlError, diagnosticText, isStop } from "../../core/error.ts";
import { visibleText } from "../../core/text.ts";
import type { Page, ShownRecord } from "../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { findRecord, labelOf } from "../../output/prompts/pick-record.ts";
import { cutToWidth, displayWidth, prepareToMeasure } from "../../output/table/display-width.ts";
import type { RecordView } from "../../output/views.ts";
import type { OpenSession } from "../../command/session.ts";
import { isRefusal } from "../../service/refusals.ts";
import type { CliCommand } from "../program/build-command.ts";
import { listings, type Listing } from "./listings.ts";
import { askFor } from "./questions.ts";
import { orEscape, runLine, say, showLine, showTarget } from "./session.ts";
import type { Line, Menu, MenuOptions } from "./session.ts";

/**
 * Offers every command until "Quit" is chosen. Asks for the arguments of a command, runs it like a
 * typed one, and shows its command line with the options that select the same target.
 *
 * Escape goes one step back.
 *
 * @param session the first one, which it closes
 * @throws SendctlError "cancelled" on Ctrl-C at any question of the menu
 */
export async function openMenu(session: OpenSession, options: MenuOptions): Promise<ExitCode> {
  const menu: Menu = { ...options, session };
  const { program } = menu;
  try {
    await showTarget(menu);
    let from = program;
    for (;;) {
      const command = await chooseCommand(menu, from);
      if (command === undefined) return exitCodes.done;
      from = program;
      if (command === program) continue;
      try {
        const performed = (): Promise<false> => perform(menu, command).then(() => false as const);
        if (await orEscape(performed, true)) from = command.parent!;
      } catch (error) {
        await reportFailure(menu, error);
      }
    }
  } finally {
    await menu.session.close();
  }
}

/** Asks for a command. @returns the program itself for "Back", undefined for "Quit" */
async function chooseCommand(
  { prompter, program }: Menu,
  from: CliCommand,
): Promise<CliCommand | undefined> {
  let command = from;
  for (;;) {
    const inner = (await command.shownCommands()).filter((child) => child.name() !== "help");
    if (inner.length === 0) return command;
    const isTop = command === program;
    const question = isTop ? "What would you like to work with?" : "What would you like to do?";
    const choices = inner.map((child) => {
      const name = child.name();
      return { value: name, name, about: child.summary() };
    });
    const last = { value: "", name: isTop ? "Quit" : "Back" };
    const name = await orEscape(() => prompter.select(question, [...choices, last]), "");
    if (name === "") return isTop ? undefined : program;
    command = command.named(name)!;
  }
}

/**
 * Asks for the other arguments of a command, then opens its list or runs it.
 *
 * @param keys its first arguments, which are not asked for
 * @param record the record that it works on, whose values can be edited
 */
async function perform(
  menu: Menu,
  command: CliCommand,
  keys: readonly string[] = [],
  record: ShownRecord = {},
): Promise<void> {
  const args = await askFor(menu, command, keys, record);
  if (args === undefined) return;
  const listing = listings[command.path.join(" ")];
  const line = { command, args };
  await (listing === undefined ? runLine(menu, line) : browse(menu, listing, line));
}

/** Reports an error and returns to the menu; rethrows errors that end the program. */
async function reportFailure(menu: Menu, error: unknown): Promise<void> {
  if (!(error instanceof SendctlError) || isStop(error.kind)) throw error;
  if (error.kind === "output" || error.kind === "defect") throw error;
  const lines = [
    visibleText(error.message),
    ...(error.details.diagnostics ?? []).map(diagnosticText),
  ];
  await menu.session.output.printError(lines.join("\n"));
  if (error.hint !== undefined) await say(menu, `hint: ${error.hint}`);
}

function isLocal({ command }: Line): boolean {
  return command.path[0] === "local";
}

const back = { value: "back", name: "Back" };

/**
 * Shows a list page by page and performs the chosen actions on its records, until "Back" is chosen.
 *
 * @param line the command that prints the list
 */
async function browse(menu: Menu, listing: Listing, line: Line): Promise<void> {
  const { prompter } = menu;
  const { view } = listing;
  let page = 1;
  let echoed = 0;
  let initial: string | undefined;
  for (;;) {
    const list = listing.list(menu.session, line.args, isLocal(line));
    const reply = await list(page === 1 ? {} : { page }).catch((error: unknown) => {
      if (isRefusal(error)) return undefined;
      throw error;
    });
    const shown = reply && (reply.envelope!.data as Page<ShownRecord>);
    // For a refusal or an empty list, the command prints its own message.
    if (shown === undefined || shown.total === 0) return runLine(menu, line);
    // The last page may have become empty.
    if (shown.data.length === 0 && page > 1) {
      page = Math.min(page - 1, Math.max(1, shown.last_page));
      continue;
    }
    if (shown.current_page !== page && page <= shown.last_page) {
      const number = shown.current_page;
      await say(menu, `Warning: the service returned page ${number} instead of page ${page}`);
    }
    page = shown.current_page;
    const pageOption = page === 1 ? [] : ["--page", String(page)];
    if (echoed !== page) await showLine(menu, { ...line, args: [...line.args, ...pageOption] });
    echoed = page;
    const lines = await recordLines(shown.data, view, prompter.columns());
    const choices = [
      ...lines.map((name, index) => ({ value: String(index), name })),
      ...(page < shown.last_page ? [{ value: "next", name: "Next page" }] : []),
      ...(page > 1 ? [{ value: "previous", name: "Previous page" }] : []),
      { value: "search", name: "Search" },
      back,
    ];
    const title = titleOf(view, line, shown);
    const preset = choices.find(({ value }) => value === initial)?.value;
    initial = await orEscape(() => prompter.select(title, choices, preset), back.value);
    if (initial === "back") return undefined;
    if (initial === "next") page += 1;
    else if (initial === "previous") page -= 1;
    else {
      const chosen = shown.data[Number(initial)];
      const choose = async (): Promise<void> =>
        act(menu, listing, line, chosen ?? (await findRecord(prompter, list, view)));
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
async function act(menu: Menu, listing: Listing, line: Line, record: ShownRecord): Promise<void> {
  const { prompter, session, program } = menu;
  const { view, actions } = listing;
  const isEmbedded = session.config.settings.baseUrl === undefined || isLocal(line);
  const [title] = await recordLines([record], view, prompter.columns());
  const offered = actions.filter(([, command]) => isEmbedded || !command.startsWith("local "));
  const choices = [...offered.map(([name, command]) => ({ value: command, name })), back];
  let chosen: string | undefined;
  do {
    chosen = await prompter.select(title!, choices, chosen);
    if (chosen === back.value) return;
    const command = await program.below(chosen.split(" "));
    await perform(menu, command, [...line.args, String(record[view.key])], record);
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
