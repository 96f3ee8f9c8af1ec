import type { Argument, Command } from "commander";
import { groupView, senderIdView } from "../../output/views.ts";
import { pickRecord } from "../../prompts/pick-record.ts";
import type { Prompter } from "../../prompts/prompter.ts";
import type { Capabilities } from "../capabilities.ts";
import { takenBy } from "../program/build-command.ts";
import { editGroup } from "./edit-group.ts";
import { optionWords, words } from "./words.ts";

/** Returns the words of a command, arguments included; undefined where there is nothing to do. */
type Ask = (context: Capabilities, prompter: Prompter) => Promise<readonly string[] | undefined>;

const askForManifest = async (prompter: Prompter): Promise<readonly string[]> =>
  optionWords("--file", await prompter.ask("Manifest file"));

/** Commands that are asked about otherwise than argument by argument. */
const special: Readonly<Record<string, Ask>> = {
  "sender-id create": async (_, prompter) => {
    const name = await prompter.ask("Name of the sender ID");
    const purpose = await prompter.ask("What it is used for");
    return words(["sender-id", "create"], name, optionWords("--purpose", purpose));
  },
  "group create": async (_, prompter) => {
    const name = await prompter.ask("Name of the group");
    const message = await prompter.edit("Birthday message (empty for none)", "");
    const options = optionWords("--birthday-message", message);
    const all = message === "" ? [] : ["--send-birthday", ...options];
    return words(["group", "create"], name, all);
  },
  "group update": async (context, prompter) =>
    editGroup(context, prompter, await pickKey(context, prompter, "group")),
  apply: async (_, prompter) => ["apply", ...(await askForManifest(prompter))],
  diff: async (_, prompter) => ["diff", ...(await askForManifest(prompter))],
};

/**
 * Asks for the arguments of a command.
 *
 * @param path its words after `sendctl`
 * @returns the words that run it; undefined where there is nothing to do
 */
export async function askFor(
  context: Capabilities,
  prompter: Prompter,
  command: Command,
  path: readonly string[],
): Promise<readonly string[] | undefined> {
  const ask = special[path.join(" ")];
  if (ask !== undefined) return ask(context, prompter);
  const given: string[] = [];
  for (const argument of command.registeredArguments) {
    const value = await valueOf(context, prompter, path, argument);
    // What is left out the command asks for by itself, where it needs it.
    if (value === undefined) break;
    // The key of a record that was picked may hold spaces.
    const isPicked = ["group", "sender-id"].includes(String(takenBy(argument)));
    given.push(...(argument.variadic && !isPicked ? value.split(/\s+/) : [value]));
  }
  const begins = given.findIndex((value) => value.startsWith("-") && value !== "-");
  return begins < 0
    ? [...path, ...given]
    : [...path, ...given.slice(0, begins), "--", ...given.slice(begins)];
}

async function valueOf(
  context: Capabilities,
  prompter: Prompter,
  path: readonly string[],
  argument: Argument,
): Promise<string | undefined> {
  const takes = takenBy(argument);
  if (takes === "group" || takes === "sender-id") {
    // Those of the embedded engine are asked for by the command, whatever service is chosen.
    return path[0] === "local" ? undefined : pickKey(context, prompter, takes);
  }
  const { description } = argument;
  const words = takes === "profile" ? [...context.config.read().profiles.keys()] : takes;
  if (Array.isArray(words) && words.length > 0) {
    return prompter.select(
      description,
      words.map((value: string) => ({ value, name: value })),
    );
  }
  const text = await prompter.edit(`${description} (may be left empty)`, "");
  return text === "" ? undefined : text;
}

function pickKey(
  context: Capabilities,
  prompter: Prompter,
  kind: "group" | "sender-id",
): Promise<string> {
  const view = kind === "group" ? groupView : senderIdView;
  return pickRecord(prompter, context.ask.list(`${kind}.list`), view);
}
