import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand, flag, optional } from "../../../cli/define-command.ts";
import type { Page } from "../../../contract/records.ts";
import { safeText } from "../../../output/safe-text.ts";
import { keyView, textOf } from "../../../output/views.ts";
import { pickRecord } from "../../../prompts/pick-record.ts";
import { databaseName } from "../../../config/target-name.ts";
import { missing, unconfirmed } from "../../arguments.ts";

type Key = Readonly<Record<"id" | "integration" | "ending", unknown>>;

export const localKeyRevoke = defineCommand({
  path: "local key revoke",
  summary: "Revoke a key",
  description: "Revoke a key. The next request with it is rejected.",
  args: { id: optional("key id, as shown by `sendctl local key list`") },
  options: { yes: flag("-y, --yes", "revoke without confirmation") },
  examples: ["sendctl local key revoke 1", "sendctl local key revoke 1 --yes"],
  async run({ local, output, ask, config }, given, { yes }) {
    const prompter = ask.prompter();
    if (given.id === undefined && prompter === undefined) throw missing("ID");
    const { administration } = await local.engine();
    const id = given.id ?? (await pickRecord(prompter!, () => administration.listKeys(), keyView));
    // An unknown key is reported without a question.
    const key = yes ? undefined : await keyOf(administration, id);
    if (key !== undefined) {
      if (prompter === undefined) throw unconfirmed("revoke");
      const what = `key ${id} (integration ${textOf(key.integration)}, ends in ${textOf(key.ending)})`;
      const question = safeText(`Revoke ${what} of ${databaseName(config.settings)}?`);
      if (!(await prompter.confirm(question))) return output.declined("Nothing revoked");
    }
    return output.done(await administration.revokeKey(id));
  },
});

async function keyOf(
  administration: Awaited<ReturnType<Capabilities["local"]["engine"]>>["administration"],
  id: string,
): Promise<Key | undefined> {
  const { data } = (await administration.listKeys()).envelope!.data as Page<Key>;
  return data.find((key) => String(key.id) === id);
}
