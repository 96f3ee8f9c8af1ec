import type { Capabilities } from "../capabilities.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import type { Prompter } from "../../prompts/prompter.ts";
import { groupView, senderIdView } from "../../output/views.ts";
import { editGroup } from "./edit-group.ts";
import { pickRecord } from "../../prompts/pick-record.ts";
import { commandLine, optionWords, words } from "./words.ts";

/** Runs a command line, with whatever options `sendctl` itself was given. */
export type RunWords = (words: readonly string[]) => Promise<ExitCode>;

/** The words of a command, as far as they are asked for; undefined where there is nothing to do. */
type Ask = (context: Capabilities, prompter: Prompter) => Promise<readonly string[] | undefined>;

interface Item {
  readonly name: string;
  readonly ask: Ask;
}

const pickSenderId = (context: Capabilities, prompter: Prompter): Promise<string> =>
  pickRecord(prompter, context.ask.list("sender-id.list"), senderIdView);

const pickGroup = (context: Capabilities, prompter: Prompter): Promise<string> =>
  pickRecord(prompter, context.ask.list("group.list"), groupView);

const resources: Readonly<Record<string, readonly Item[]>> = {
  "Sender IDs": [
    { name: "List them", ask: async () => ["sender-id", "list"] },
    {
      name: "Show one",
      ask: async (context, prompter) =>
        words(["sender-id", "fetch"], await pickSenderId(context, prompter)),
    },
    {
      name: "Create one",
      ask: async (_, prompter) => {
        const name = await prompter.ask("Name of the sender ID");
        const purpose = await prompter.ask("What it is used for");
        return words(["sender-id", "create"], name, optionWords("--purpose", purpose));
      },
    },
    {
      name: "Delete one",
      ask: async (context, prompter) =>
        words(["sender-id", "delete"], await pickSenderId(context, prompter)),
    },
  ],
  Groups: [
    { name: "List them", ask: async () => ["group", "list"] },
    {
      name: "Show one",
      ask: async (context, prompter) =>
        words(["group", "fetch"], await pickGroup(context, prompter)),
    },
    {
      name: "Create one",
      ask: async (_, prompter) => {
        const name = await prompter.ask("Name of the group");
        const message = await prompter.edit("Birthday message (nothing for none)", "");
        const options = optionWords("--birthday-message", message);
        const all = message === "" ? [] : ["--send-birthday", ...options];
        return words(["group", "create"], name, all);
      },
    },
    {
      name: "Change one",
      ask: async (context, prompter) =>
        editGroup(context, prompter, await pickGroup(context, prompter)),
    },
    {
      name: "Preview its birthday message",
      ask: async (context, prompter) =>
        words(["group", "preview"], await pickGroup(context, prompter)),
    },
    {
      name: "Delete one",
      ask: async (context, prompter) =>
        words(["group", "delete"], await pickGroup(context, prompter)),
    },
  ],
};

/**
 * Everything, for people who would rather be asked. Each action is a command that is run as if it had been
 * typed, and that is shown afterwards; then the menu is back.
 *
 * @throws SendctlError "cancelled" on Ctrl-C at any question
 */
export async function openMenu(
  context: Capabilities,
  prompter: Prompter,
  run: RunWords,
): Promise<ExitCode> {
  const { baseUrl, database } = context.config.settings;
  await context.output.say(
    baseUrl === undefined ? `sendctl · embedded engine · ${database}` : `sendctl · ${baseUrl}`,
  );
  for (;;) {
    const items = await chooseResource(prompter);
    if (items === undefined) return exitCodes.done;
    const item = await chooseItem(prompter, items);
    const line = await item?.ask(context, prompter);
    if (line === undefined) continue;
    await run(line);
    await context.output.say(`  $ ${commandLine(line)}\n`);
  }
}

async function chooseResource(prompter: Prompter): Promise<readonly Item[] | undefined> {
  const names = Object.keys(resources).map((name) => ({ value: name, name }));
  const chosen = await prompter.select("What would you like to work with?", [
    ...names,
    { value: "", name: "Quit" },
  ]);
  return resources[chosen];
}

async function chooseItem(prompter: Prompter, items: readonly Item[]): Promise<Item | undefined> {
  const chosen = await prompter.select("What would you like to do?", [
    ...items.map(({ name }) => ({ value: name, name })),
    { value: "", name: "Back" },
  ]);
  return items.find(({ name }) => name === chosen);
}
