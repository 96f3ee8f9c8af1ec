import type { Command } from "commander";
import type { Action } from "../action.ts";
import type { DeleteOptions } from "../confirm-delete.ts";
import { deleteOptions, examples } from "../declare.ts";
import type { LoginOptions } from "./login.ts";

/** Declares `sendctl login`; `--profile` and `--base-url` are taken by every command. */
export function declareLogin(login: Command, action: Action): void {
  login
    .option("--with-key", "read the key from standard input")
    .option("--no-check", "store it without asking the service")
    .action(
      action(async (context, options: LoginOptions) =>
        (await import("./login.ts")).login(context, options),
      ),
    );
}

/** Declares `sendctl logout`. */
export function declareLogout(logout: Command, action: Action): void {
  logout.action(action(async (context) => (await import("./login.ts")).logout(context)));
}

/** Declares what follows `sendctl profile`; what a command does is loaded when it runs. */
export function declareProfile(noun: Command, action: Action): void {
  examples(
    noun
      .command("list")
      .alias("ls")
      .summary("List profiles")
      .description("List profiles, with the last characters of their keys.")
      .action(action(async (context) => (await import("./profile.ts")).listProfiles(context))),
    ["sendctl profile list", "sendctl profile list --json"],
  );
  examples(
    noun
      .command("use")
      .summary("Choose a profile")
      .description("Choose the profile that is used where nobody names another.")
      .argument("[name]", "its name")
      .action(
        action(async (context, name: string | undefined) =>
          (await import("./profile.ts")).useProfile(context, name),
        ),
      ),
    ["sendctl profile use prod"],
  );
  examples(
    noun
      .command("show")
      .summary("Show the settings")
      .description(
        "Show each setting with a profile, or with the one that is chosen, and where it comes from: a flag, the environment, the profile or the default.",
      )
      .argument("[name]", "its name")
      .action(
        action(async (context, name: string | undefined) =>
          (await import("./profile.ts")).showProfile(context, name),
        ),
      ),
    ["sendctl profile show", "sendctl profile show prod --json"],
  );
  examples(
    deleteOptions(
      noun
        .command("delete")
        .alias("rm")
        .summary("Delete a profile")
        .description("Delete a profile and its key.")
        .argument("[name]", "its name"),
    ).action(
      action(async (context, name: string | undefined, options: DeleteOptions) =>
        (await import("./profile.ts")).deleteProfile(context, name, options),
      ),
    ),
    ["sendctl profile delete prod --yes"],
  );
}
