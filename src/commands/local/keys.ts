import { defineCommand, defineNoun, flag, optional, text } from "../../cli/define-command.ts";
import { databaseName } from "../../config/target-name.ts";
import type { Page } from "../../contract/records.ts";
import { keyView, textOf } from "../../output/views.ts";
import { pickRecord } from "../../prompts/pick-record.ts";
import { confirm, missing } from "../arguments.ts";

const localKey = defineNoun({
  path: "local key",
  aliases: ["keys"],
  summary: "Manage secret keys",
  description: "Manage the secret keys of the embedded database, which `sendctl serve` requires.",
  examples: ["sendctl local key list"],
});

const localKeyCreate = defineCommand({
  path: "local key create",
  summary: "Create a key",
  description: "Create a key. It is shown only once, because only its hash is stored.",
  options: {
    integration: text("--integration <name>", "integration of the key", { default: "default" }),
  },
  examples: ["sendctl local key create", "sendctl local key create --integration default --json"],
  async run({ local, output }, _, { integration }) {
    const { administration } = await local.engine();
    return output.record(await administration.createKey(integration), keyView);
  },
});

const localKeyList = defineCommand({
  path: "local key list",
  aliases: ["ls"],
  summary: "List keys",
  description: "List keys with their last characters, newest first.",
  examples: ["sendctl local key list"],
  async run({ local, output }) {
    const { administration } = await local.engine("read");
    return output.page(await administration.listKeys(), keyView);
  },
});

const localKeyRevoke = defineCommand({
  path: "local key revoke",
  summary: "Revoke a key",
  description: "Revoke a key. The next request with it is rejected.",
  args: { id: optional("key id, as shown by `sendctl local key list`") },
  options: { yes: flag("-y, --yes", "revoke without confirmation") },
  examples: ["sendctl local key revoke 1", "sendctl local key revoke 1 --yes"],
  async run(context, given, { yes }) {
    const { local, output, ask, config } = context;
    const prompter = ask.prompter();
    if (given.id === undefined && prompter === undefined) throw missing("ID");
    const { administration } = await local.engine();
    const id = given.id ?? (await pickRecord(prompter!, () => administration.listKeys(), keyView));
    if (!yes) {
      const { data } = (await administration.listKeys()).envelope!.data as Page<Key>;
      // An unknown key is reported without a question.
      const key = data.find((one) => String(one.id) === id);
      if (key !== undefined) {
        const what = `key ${id} (integration ${textOf(key.integration)}, ends in ${textOf(key.ending)})`;
        const question = `Revoke ${what} of ${databaseName(config.settings)}?`;
        await confirm(context, "revoke", question, "Nothing revoked");
      }
    }
    return output.done(await administration.revokeKey(id));
  },
});

type Key = Readonly<Record<"id" | "integration" | "ending", unknown>>;

export const keyCommands = [localKey, localKeyCreate, localKeyList, localKeyRevoke];
