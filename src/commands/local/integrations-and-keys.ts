import { defineCommand, defineNoun, flag, optional, text } from "../../command/define-command.ts";
import type { Session } from "../../command/session.ts";
import { SendctlError } from "../../core/error.ts";
import { databaseName } from "../../config/target.ts";
import type { Page } from "../../contract/service.ts";
import { recordFormats } from "../../output/formats/formats.ts";
import { integrationView, keyView, textOf } from "../../output/views.ts";
import { confirm, deleteOptions, missing, mustConfirm, required } from "../../command/arguments.ts";
import { pickRecord } from "../../output/prompts/pick-record.ts";

const localIntegration = defineNoun({
  path: "local integration",
  aliases: ["integrations"],
  summary: "Manage integrations",
  description:
    "Manage the integrations of the embedded database. Each has its own sender IDs, groups and keys.",
  examples: ["sendctl local integration list"],
});

const localIntegrationCreate = defineCommand({
  path: "local integration create",
  changes: "database",
  summary: "Create an integration",
  description: "Create an integration. It has no key yet.",
  args: { name: optional("integration name") },
  examples: ["sendctl local integration create staging"],
  async run({ local, output, ask }, given) {
    const name = await required(ask, given.name, "NAME", "Name of the integration");
    const { administration } = await local.engine();
    const reply = await administration.createIntegration(name);
    return output.record(reply, integrationView);
  },
});

const localIntegrationList = defineCommand({
  path: "local integration list",
  aliases: ["ls"],
  summary: "List integrations",
  description: "List integrations and their record counts, newest first.",
  examples: ["sendctl local integration list"],
  async run({ local, output }) {
    const { administration } = await local.engine("read");
    return output.page(await administration.listIntegrations(), integrationView);
  },
});

const localIntegrationDelete = defineCommand({
  path: "local integration delete",
  changes: "database",
  aliases: ["rm", "remove"],
  summary: "Delete an integration",
  description: "Delete an integration and its sender IDs, groups, contacts and keys.",
  args: { name: optional("integration name") },
  options: deleteOptions,
  examples: ["sendctl local integration delete staging --yes"],
  async run(context, given, { yes }) {
    const { local, output, ask, config } = context;
    const name = await required(ask, given.name, "NAME", "Name of the integration");
    const { administration } = await local.engine();
    const { envelope } = await administration.listIntegrations();
    const { data } = envelope!.data as Page<{ readonly name: string }>;
    // An integration that cannot be deleted is reported without a question.
    const exists = name !== "default" && data.some((integration) => integration.name === name);
    if (exists && mustConfirm(context, yes, "delete", "database")) {
      const record = `integration ${name} and its sender IDs, groups, contacts and keys`;
      const question = `Delete ${record} from ${databaseName(config.settings)}?`;
      await confirm(context, "delete", question, "Nothing deleted", "database");
    }
    return output.done(await administration.deleteIntegration(name));
  },
});

const localKey = defineNoun({
  path: "local key",
  aliases: ["keys"],
  summary: "Manage secret keys",
  description: "Manage the secret keys of the embedded database, which `sendctl serve` requires.",
  examples: ["sendctl local key list"],
});

const localKeyCreate = defineCommand({
  path: "local key create",
  changes: "database",
  summary: "Create a key",
  description: "Create a key. It is shown only once, because only its hash is stored.",
  options: {
    integration: text("--integration <name>", "integration of the key", { default: "default" }),
  },
  examples: ["sendctl local key create", "sendctl local key create --integration default --json"],
  async run({ local, output }, _, { integration }) {
    await refuseToHideKey(output);
    const { administration } = await local.engine();
    const reply = await administration.createKey(integration);
    return output.record(reply, keyView);
  },
});

/** Refuses a format or a query that would not show the key, which cannot be shown again. */
async function refuseToHideKey({ query, supports }: Session["output"]): Promise<void> {
  supports("a new key", recordFormats);
  if (query === undefined) return;
  const { queryShows } = await import("../../output/formats/query.ts");
  const sample = { id: 1, integration: "default", secret_key: "sk_", created_at: "" };
  if (queryShows(query, sample, sample.secret_key)) return;
  throw new SendctlError("usage", "--query would hide the key, which is shown only once", {
    hint: "--query secret_key",
    field: "--query",
  });
}

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
  changes: "database",
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
    const { listKeys } = administration;
    const id = given.id ?? (await pickRecord(prompter!, () => listKeys(), keyView));
    const { data } = (await listKeys()).envelope!.data as Page<Key>;
    // An unknown key is reported without a question.
    const key = data.find((known) => String(known.id) === id);
    if (key !== undefined && mustConfirm(context, yes, "revoke", "database")) {
      const name = `key ${id} (integration ${textOf(key.integration)}, ends in ${textOf(key.ending)})`;
      const question = `Revoke ${name} of ${databaseName(config.settings)}?`;
      await confirm(context, "revoke", question, "Nothing revoked", "database");
    }
    return output.done(await administration.revokeKey(id));
  },
});

type Key = Readonly<Record<"id" | "integration" | "ending", unknown>>;

/** The commands of `sendctl local integration` and `sendctl local key`. */
export const integrationAndKeyCommands = [
  localIntegration,
  localIntegrationCreate,
  localIntegrationList,
  localIntegrationDelete,
  localKey,
  localKeyCreate,
  localKeyList,
  localKeyRevoke,
];
