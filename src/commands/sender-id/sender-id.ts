import type { Command } from "commander";
import type { Action } from "../action.ts";
import { deleteOptions, examples, pageOptions } from "../declare.ts";
import type { ListOptions } from "../list.ts";
import type { DeleteOptions } from "../confirm-delete.ts";
import type { SenderIdCreateOptions } from "./create.ts";
import type { SenderIdWaitOptions } from "./wait.ts";

/** Declares what follows `sendctl sender-id …`; what a command does is loaded when it runs. */
export function declareSenderId(noun: Command, action: Action): void {
  examples(
    noun
      .command("create")
      .summary("Create a sender ID")
      .description("Create a sender ID. It begins with the status PENDING, until it is reviewed.")
      .argument("[name]", "what recipients see; carriers want up to 11 letters, digits and spaces")
      .option("--purpose <text>", "what it is used for")
      .option("--if-not-exists", "succeed, and show the one there is, when the name is taken")
      .action(
        action(async (context, name: string | undefined, options: SenderIdCreateOptions) =>
          (await import("./create.ts")).createSenderId(context, name, options),
        ),
      ),
    [
      'sendctl sender-id create ACME --purpose "Order updates"',
      'sendctl sender-id create ACME --purpose "Order updates" --if-not-exists --json',
    ],
  );

  examples(
    pageOptions(
      noun
        .command("list")
        .alias("ls")
        .summary("List sender IDs")
        .description("List sender IDs, the newest first."),
    ).action(
      action(async (context, options: ListOptions) =>
        (await import("./list.ts")).listSenderIds(context, options),
      ),
    ),
    ["sendctl sender-id list", "sendctl sender-id list --all --json"],
  );

  examples(
    noun
      .command("fetch")
      .alias("get")
      .summary("Show a sender ID")
      .description("Show a sender ID, found by its name.")
      .argument("[name]", "its name")
      .action(
        action(async (context, name: string | undefined) =>
          (await import("./fetch.ts")).fetchSenderId(context, name),
        ),
      ),
    ["sendctl sender-id fetch ACME", "sendctl sender-id fetch -- -odd-name"],
  );

  examples(
    deleteOptions(
      noun
        .command("delete")
        .alias("rm")
        .summary("Delete a sender ID")
        .description("Delete a sender ID. Groups that send under it are left without one.")
        .argument("[name]", "its name"),
    ).action(
      action(async (context, name: string | undefined, options: DeleteOptions) =>
        (await import("./delete.ts")).deleteSenderId(context, name, options),
      ),
    ),
    ["sendctl sender-id delete ACME", "sendctl sender-id delete ACME --yes"],
  );

  examples(
    noun
      .command("wait")
      .summary("Wait until a sender ID is reviewed")
      .description(
        "Wait until a sender ID has a status. It ends with 13 when time runs out, or when the sender ID is REJECTED. The --timeout of one attempt is given before `wait`.",
      )
      .argument("[name]", "its name")
      .option("--for <status>", "the status to wait for, like APPROVED")
      .option("--timeout <duration>", "how long to wait in all (10m where nothing is said)")
      .option("--interval <duration>", "how often to look (from 1s, slowly growing to 30s)")
      .action(
        action(async (context, name: string | undefined, options: SenderIdWaitOptions) =>
          (await import("./wait.ts")).waitForStatus(context, name, options),
        ),
      ),
    [
      "sendctl sender-id wait ACME --for APPROVED",
      "sendctl sender-id wait ACME --for APPROVED --timeout 2h --interval 1m",
    ],
  );
}
