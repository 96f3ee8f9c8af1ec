import type { Command } from "commander";
import type { Action } from "../action.ts";
import type { DeleteOptions } from "../confirm-delete.ts";
import { deleteOptions, examples } from "../declare.ts";
import { declareCopy } from "./database/copy-declaration.ts";
import { declareDatabase } from "./database/database-declaration.ts";
import { declareContact } from "./contact/contact-declaration.ts";
import { declareReviewAndLog } from "./review-declaration.ts";
import { declareRun } from "./run-declaration.ts";
import { declareSeed } from "./database/seed-declaration.ts";

/** Declares what follows `sendctl local`; what a command does is loaded when it runs. */
export function declareLocal(local: Command, action: Action): void {
  declareIntegration(local, action);
  declareKey(local, action);
  declareDatabase(local, action);
  declareCopy(local, action);
  declareContact(local, action);
  declareReviewAndLog(local, action);
  declareSeed(local, action);
  declareRun(local, action);
}

function declareIntegration(local: Command, action: Action): void {
  const noun = local
    .command("integration")
    .summary("Manage integrations")
    .description(
      "Manage the integrations of the embedded database. Each has sender IDs, groups and keys of its own.",
    );
  examples(noun, ["sendctl local integration list"]);

  examples(
    noun
      .command("create")
      .summary("Create an integration")
      .description("Create an integration, which has no key yet.")
      .argument("[name]", "its name")
      .action(
        action(async (context, name: string | undefined) =>
          (await import("./integration/integration.ts")).createIntegration(context, name),
        ),
      ),
    ["sendctl local integration create staging"],
  );
  examples(
    noun
      .command("list")
      .alias("ls")
      .summary("List integrations")
      .description("List integrations and what they hold, the newest first.")
      .action(
        action(async (context) =>
          (await import("./integration/integration.ts")).listIntegrations(context),
        ),
      ),
    ["sendctl local integration list"],
  );
  examples(
    deleteOptions(
      noun
        .command("delete")
        .alias("rm")
        .summary("Delete an integration")
        .description("Delete an integration with its sender IDs, groups, contacts and keys.")
        .argument("[name]", "its name"),
    ).action(
      action(async (context, name: string | undefined, options: DeleteOptions) =>
        (await import("./integration/integration.ts")).deleteIntegration(context, name, options),
      ),
    ),
    ["sendctl local integration delete staging --yes"],
  );
}

function declareKey(local: Command, action: Action): void {
  const noun = local
    .command("key")
    .summary("Manage secret keys")
    .description(
      "Manage the secret keys of the embedded database, as `sendctl serve` asks for them.",
    );
  examples(noun, ["sendctl local key list"]);

  examples(
    noun
      .command("create")
      .summary("Create a key")
      .description("Create a key. It is shown now, and never again: only its hash is kept.")
      .option("--integration <name>", "the integration that it is for", "default")
      .action(
        action(async (context, options: { integration: string }) =>
          (await import("./key/key.ts")).createKey(context, options),
        ),
      ),
    ["sendctl local key create", "sendctl local key create --integration default --json"],
  );
  examples(
    noun
      .command("list")
      .alias("ls")
      .summary("List keys")
      .description("List keys by their last characters, the newest first.")
      .action(action(async (context) => (await import("./key/key.ts")).listKeys(context))),
    ["sendctl local key list"],
  );
  examples(
    noun
      .command("revoke")
      .summary("Revoke a key")
      .description("Revoke a key: the next request with it is refused.")
      .argument("[id]", "its id, as `sendctl local key list` shows it")
      .action(
        action(async (context, id: string | undefined) =>
          (await import("./key/key.ts")).revokeKey(context, id),
        ),
      ),
    ["sendctl local key revoke 1"],
  );
}
