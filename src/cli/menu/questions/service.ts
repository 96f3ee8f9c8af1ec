import { askForMessage } from "../../../commands/group/ask-for-message.ts";
import { carrierWarning } from "../../../commands/sender-id/carrier-form.ts";
import { knownStatuses } from "../../../commands/sender-id/statuses.ts";
import { optionalQuestion, pickKey, pickWord } from "../pick.ts";
import type { Ask, Session } from "../session.ts";
import { lineFor, optionalWords, optionWords } from "../words.ts";

/** Asks for the name of a new sender ID, and again if carriers may refuse it. */
async function askForName({ prompter }: Session): Promise<string> {
  for (;;) {
    const name = await prompter.ask("Name of the sender ID");
    if (carrierWarning(name) === undefined) return name;
    const about = "they accept up to 11 letters, digits and spaces, without accents";
    const choices = [
      { value: "again", name: "Enter another name" },
      { value: "keep", name: "Use this name" },
    ];
    const wanted = await prompter.select(`Carriers may refuse “${name}”: ${about}`, choices);
    if (wanted === "keep") return name;
  }
}

const yesNo = ["no", "yes"] as const;

const askForManifest: Ask = async (session) => {
  const file = await session.prompter.askWithDefault("Manifest file", "sendctl.yaml");
  const label = "Delete records that the manifest does not name";
  const prune = await pickWord(session, label, yesNo);
  return lineFor([], [file], prune === "yes" ? ["--prune"] : []).args;
};

/** Questions for the commands that work on the chosen service, in the order of the fields. */
export const serviceQuestions: Readonly<Record<string, Ask>> = {
  "sender-id create": async (session) => {
    const name = await askForName(session);
    const purpose = await session.prompter.ask("Purpose");
    return lineFor([], [name], optionWords("--purpose", purpose)).args;
  },
  "sender-id wait": async (session) => {
    const name = await pickKey(session, "sender-id", false);
    if (name === undefined) return undefined;
    const status = await pickWord(session, "Status to wait for", knownStatuses);
    return lineFor([], [name], ["--for", status]).args;
  },
  "group create": async (session) => {
    const name = await session.prompter.ask("Name of the group");
    const isSending = (await pickWord(session, "Send birthday messages", yesNo)) === "yes";
    const message = await askForMessage(session.prompter, "Birthday message", "");
    const options = optionalWords("--birthday-message", message);
    return lineFor([], [name], [...(isSending ? ["--send-birthday"] : []), ...options]).args;
  },
  "group preview": async (session) => {
    const id = await pickKey(session, "group", false);
    if (id === undefined) return undefined;
    const firstName = await session.prompter.edit(
      optionalQuestion("First name", "empty for Ada"),
      "",
    );
    return lineFor([], [id], optionalWords("--first-name", firstName)).args;
  },
  apply: askForManifest,
  diff: askForManifest,
  serve: async ({ prompter }) => {
    const port = await prompter.askWithDefault("Port", "4010");
    return port === "4010" ? [] : optionWords("--port", port);
  },
  api: async (session) => {
    const { prompter } = session;
    const method = await pickWord(session, "Method", ["GET", "POST", "PUT", "DELETE"]);
    const path = await prompter.askWithDefault("Path", "/v1/group");
    const takesBody = method === "POST" || method === "PUT";
    const body = takesBody ? await prompter.edit(optionalQuestion("Body, as JSON"), "") : "";
    return lineFor([], [method, path], optionalWords("--body", body)).args;
  },
};
