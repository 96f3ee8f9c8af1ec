import { SendctlError } from "../../contract/error.ts";
import type { GlobalOptions } from "../../config/settings.ts";
import { targetName, targetOptions } from "../../config/target-name.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../output/safe-text.ts";
import { wrapText } from "../../prompts/fit.ts";
import type { Prompter } from "../../prompts/prompter.ts";
import type { Capabilities } from "../capabilities.ts";
import { pathOf, type Tree } from "../program/tree.ts";
import { nouns, type Noun } from "../registry.ts";
import { chooseCommand } from "./choose-command.ts";
import { browse } from "./lists/browse.ts";
import { listings } from "./lists/listings.ts";
import { askFor } from "./questions.ts";
import type { Session } from "./session.ts";
import { givenWords, shownLine, type Line } from "./words.ts";

/** The options of the menu. */
export interface MenuOptions {
  /** Returns the context to read records in. */
  readonly context: () => Capabilities;
  /** Reopens the context, with the current settings and records. */
  readonly reopen: () => Promise<void>;
  readonly prompter: Prompter;
  readonly tree: Tree;
  /** The global options of the `sendctl` command line. */
  readonly given: GlobalOptions;
  /** Runs a command line, with the same global options. */
  readonly run: (words: readonly string[]) => Promise<ExitCode>;
}

/**
 * Offers every command until "Quit" is chosen. Asks for the arguments of a command, runs it like a typed one, and shows
 * its command line with the options that select the same target.
 *
 * @throws SendctlError "cancelled" on Ctrl-C at any question of the menu
 */
export async function openMenu(options: MenuOptions): Promise<ExitCode> {
  const { prompter, tree } = options;
  const session = sessionOf(options);
  await showTarget(session);
  for (;;) {
    const chosen = await chooseCommand(prompter, tree);
    if (chosen === undefined) return exitCodes.done;
    if (chosen === tree.program) continue;
    const path = pathOf(chosen).slice(1);
    try {
      const listing = listings[path.join(" ")];
      if (listing !== undefined) {
        const listed = await listing(session);
        if (listed !== undefined) await browse(session, listed);
      } else {
        const line = await askFor(session, chosen, path);
        if (line !== undefined) await session.run(line);
      }
    } catch (error) {
      await reportFailure(session, error);
    }
  }
}

function sessionOf(options: MenuOptions): Session {
  const { context, reopen, prompter, run, given } = options;
  const show = async (line: Line): Promise<void> => {
    const words = [
      ...givenWords(given),
      ...line.path,
      ...optionsFor(context(), line),
      ...line.args,
    ];
    await context().output.say(`${shownLine(words, prompter.columns())}\n`);
  };
  const say = async (text: string): Promise<void> =>
    context().output.say(await wrapText(safeText(text), prompter.columns()));
  const complain = async (text: string): Promise<void> => {
    const wrapped = await wrapText(`${complaint}${safeText(text)}`, prompter.columns());
    await context().output.complain(wrapped.slice(complaint.length));
  };
  const session: Session = {
    context,
    prompter,
    say,
    complain,
    show,
    run: async (line) => {
      const before = targetName(context().config.settings);
      await run([...line.path, ...line.args]);
      await show(line);
      await reopen();
      if (targetName(context().config.settings) !== before) await showTarget(session);
    },
  };
  return session;
}

/** The prefix of error messages. */
const complaint = "sendctl: ";

/** Returns the options that select the same target for a command. */
function optionsFor({ config }: Capabilities, { path }: Line): readonly string[] {
  const noun: Noun | undefined = nouns.find(({ name }) => name === path[0]);
  if (noun === undefined || noun.worksOnProfiles === true) return [];
  return targetOptions(config.settings, noun.isEmbedded === true || noun.name === "serve");
}

/** Reports an error and returns to the menu; rethrows errors that end the program. */
async function reportFailure({ say, complain }: Session, error: unknown): Promise<void> {
  const ends: readonly string[] = ["cancelled", "terminated", "output", "defect"];
  if (!(error instanceof SendctlError) || ends.includes(error.kind)) throw error;
  await complain(error.message);
  if (error.hint !== undefined) await say(`hint: ${error.hint}`);
}

async function showTarget({ context, say }: Session): Promise<void> {
  const { settings } = context().config;
  const { baseUrl, database } = settings;
  const target = baseUrl === undefined ? `embedded engine · ${database}` : targetName(settings);
  return say(`sendctl · ${target}`);
}
