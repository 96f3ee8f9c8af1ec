import type { Command } from "commander";
import type { Action } from "../../action.ts";
import { examples } from "../../declare.ts";

/** Declares `sendctl local copy`. */
export function declareCopy(local: Command, action: Action): void {
  examples(
    local
      .command("copy")
      .summary("Copy everything to another database")
      .description(
        "Copy everything, keys among it, to an empty database: from SQLite to PostgreSQL, back, or to another of the same kind. All or nothing; counted, and compared with the original. Ids, uuids, times and keys stay what they are.",
      )
      .option("--to <file>", "the file to copy to, or postgres://USER@HOST:PORT/NAME")
      .action(
        action(async (context, options: CopyOptions) =>
          (await import("./copy.ts")).copy(context, options),
        ),
      ),
    [
      "sendctl local copy --to copy.db",
      "sendctl local copy --to postgres://sendctl@localhost/sendctl",
    ],
  );
}

export interface CopyOptions {
  readonly to?: string;
}
