import type { Command } from "commander";
import type { Action } from "../../action.ts";
import { examples } from "../../declare.ts";

/** Declares what `sendctl local` does with the database as a whole. */
export function declareDatabase(local: Command, action: Action): void {
  examples(
    local
      .command("info")
      .summary("Show where the database is and what it holds")
      .description(
        "Show where the embedded database is, how large it is, and what it holds. Nothing is made.",
      )
      .action(action(async (context) => (await import("./database.ts")).showInfo(context))),
    ["sendctl local info", "sendctl local info --json"],
  );
  examples(
    local
      .command("check")
      .summary("Check that the database is whole")
      .description(
        "Check that the embedded database is whole: its schema, pages, indexes, references, totals and clock. Others may write meanwhile; nothing is changed.",
      )
      .action(action(async (context) => (await import("./database.ts")).check(context))),
    ["sendctl local check"],
  );
  examples(
    local
      .command("backup")
      .summary("Copy the database to a file")
      .description(
        "Copy the embedded database, as it is now, to a file. Others may write meanwhile. The copy is checked before it gets its name.",
      )
      .argument("[file]", "the file to make")
      .option("--force", "replace the file if it is there")
      .action(
        action(async (context, file: string | undefined, options: BackupOptions) =>
          (await import("./backup.ts")).backup(context, file, options),
        ),
      ),
    ["sendctl local backup friday.db", "sendctl local backup friday.db --force --json"],
  );
  examples(
    local
      .command("restore")
      .summary("Put a backup in the database's place")
      .description(
        "Put all that a backup holds in the place of all that the embedded database holds, once the backup is checked and that is confirmed. All or nothing; others may have the database open.",
      )
      .argument("[file]", "the backup, which stays as it is")
      .option("-y, --yes", "replace without asking")
      .action(
        action(async (context, file: string | undefined, options: ConfirmOptions) =>
          (await import("./backup.ts")).restore(context, file, options),
        ),
      ),
    ["sendctl local restore friday.db", "sendctl local restore friday.db --yes"],
  );
  examples(
    local
      .command("reset")
      .summary("Empty the database")
      .description(
        "Empty the embedded database: integrations but the default one, keys, sender IDs, groups and contacts. Ids begin with 1 again.",
      )
      .option("--keep-keys", "keep the keys, and the integrations that they are of")
      .option("-y, --yes", "delete without asking")
      .action(
        action(async (context, options: ResetOptions) =>
          (await import("./database.ts")).reset(context, options),
        ),
      ),
    ["sendctl local reset --yes", "sendctl local reset --keep-keys --yes"],
  );
}

export interface BackupOptions {
  readonly force?: boolean;
}

export interface ConfirmOptions {
  readonly yes?: boolean;
}

export interface ResetOptions extends ConfirmOptions {
  readonly keepKeys?: boolean;
}
