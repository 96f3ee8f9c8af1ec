import { Option, type Command } from "commander";
import type { Action } from "../action.ts";
import type { DeleteOptions } from "../confirm-delete.ts";
import { deleteOptions, examples, pageOptions } from "../declare.ts";
import type { GroupCreateOptions } from "./create.ts";
import type { GroupPreviewOptions } from "./preview.ts";
import type { GroupUpdateOptions } from "./update.ts";
import type { ListOptions } from "../list.ts";

const messageHelp = "text of the birthday message; {first_name} stands for the member's name";

/** Declares what follows `sendctl group …`; what a command does is loaded when it runs. */
export function declareGroup(noun: Command, action: Action): void {
  examples(
    noun
      .command("create")
      .summary("Create a group")
      .description("Create a group. Holiday messages and a sender ID are set with `group update`.")
      .argument("[name]", "its name, which need not be unique")
      .option("--send-birthday", "send members a message on their birthday")
      .option("--no-send-birthday", "send none")
      .option("--birthday-message <text>", messageHelp)
      .action(
        action(async (context, name: string | undefined, options: GroupCreateOptions) =>
          (await import("./create.ts")).createGroup(context, name, options),
        ),
      ),
    [
      "sendctl group create Customers",
      'sendctl group create Friends --send-birthday --birthday-message "Happy birthday, {first_name}!"',
    ],
  );

  examples(
    pageOptions(
      noun
        .command("list")
        .alias("ls")
        .summary("List groups")
        .description("List groups and how many contacts they hold, the newest first."),
    ).action(
      action(async (context, options: ListOptions) =>
        (await import("./list.ts")).listGroups(context, options),
      ),
    ),
    [
      "sendctl group list",
      "sendctl group list --per-page 50 --page 2",
      "sendctl group list --all --json",
    ],
  );

  examples(
    noun
      .command("fetch")
      .alias("get")
      .summary("Show a group")
      .description("Show a group, found by its id or uuid.")
      .argument("[id]", "its id or uuid")
      .action(
        action(async (context, id: string | undefined) =>
          (await import("./fetch.ts")).fetchGroup(context, id),
        ),
      ),
    ["sendctl group fetch 12", "sendctl group fetch 12 --json"],
  );

  examples(
    noun
      .command("update")
      .summary("Change a group")
      .description("Change a group. What is not given stays as it is.")
      .argument("[id]", "its id or uuid")
      .option("--name <text>", "its new name")
      .option("--send-birthday", "send members a message on their birthday")
      .option("--no-send-birthday", "send none")
      .option("--send-holiday", "send members messages on holidays")
      .option("--no-send-holiday", "send none")
      .option("--birthday-message <text>", messageHelp)
      .addOption(
        new Option("--clear-birthday-message", "take the birthday message away").conflicts(
          "birthdayMessage",
        ),
      )
      .option("--sender-id <name>", "the sender ID to send under, by its name or id")
      .addOption(new Option("--clear-sender-id", "take the sender ID away").conflicts("senderId"))
      .action(
        action(async (context, id: string | undefined, options: GroupUpdateOptions) =>
          (await import("./update.ts")).updateGroup(context, id, options),
        ),
      ),
    [
      "sendctl group update 12 --name Customers --sender-id ACME",
      "sendctl group update 12 --send-holiday --clear-birthday-message",
    ],
  );

  examples(
    deleteOptions(
      noun
        .command("delete")
        .alias("rm")
        .summary("Delete a group")
        .description("Delete a group, and its contacts with it.")
        .argument("[id]", "its id or uuid"),
    ).action(
      action(async (context, id: string | undefined, options: DeleteOptions) =>
        (await import("./delete.ts")).deleteGroup(context, id, options),
      ),
    ),
    ["sendctl group delete 12", "sendctl group delete 12 --yes"],
  );

  examples(
    noun
      .command("preview")
      .summary("Show a birthday message as a member gets it")
      .description(
        "Show a birthday message as a member gets it, how it is encoded, and how many SMS segments it costs: a group's, or any text.",
      )
      .argument("[id]", "the group's id or uuid")
      .option("--first-name <name>", "the member's name (Ada where nothing is said)")
      .option(
        "--birthday-message <text>",
        "this text, whatever the group has; then no id is needed",
      )
      .action(
        action(async (context, id: string | undefined, options: GroupPreviewOptions) =>
          (await import("./preview.ts")).previewGroup(context, id, options),
        ),
      ),
    [
      "sendctl group preview 12 --first-name Zoë",
      'sendctl group preview --birthday-message "Happy birthday, {first_name}!" --json',
    ],
  );
}
