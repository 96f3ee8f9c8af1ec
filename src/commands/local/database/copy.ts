import { protectionsAt } from "../../../config/protection.ts";
import { databaseUrl } from "../../../config/database.ts";
import { SendctlError } from "../../../core/error.ts";
import { doneReply } from "../../../service/lines.ts";
import { required } from "../../../command/arguments.ts";
import { databaseView } from "./maintenance.ts";
import type { RecordView } from "../../../output/views.ts";
import { defineCommand, text } from "../../../command/define-command.ts";

export const localCopy = defineCommand({
  path: "local copy",
  summary: "Copy everything to another database",
  description:
    "Copy everything, including keys, to an empty PostgreSQL database or a new file. All or nothing. Ids, uuids, times and keys stay the same.",
  options: {
    to: text("--to <file>", "target file, or postgres://USER@HOST:PORT/NAME", {
      takes: "file",
    }),
  },
  examples: [
    "sendctl local copy --to copy.db",
    "sendctl local copy --to postgres://sendctl@localhost/sendctl",
  ],
  async run({ ask, clock, config, input, local, output }, _, options) {
    const to = await required(ask, options.to, "--to", "Database to copy to");
    const database = to.includes("://") ? to : input.path(to);
    const place = { baseUrl: undefined, database, databaseUrl: databaseUrl(database, "--to") };
    const found = protectionsAt(place, config.read());
    if (found.some(([, { level }]) => level === "read-only")) {
      const hint = "copy to another database, or run sendctl profile protect NAME --off";
      throw new SendctlError("usage", "refusing to copy to a read-only database", { hint });
    }
    const progress = output.progress();
    const step = async (rows: number): Promise<void> => {
      await progress.update(`Copied ${rows.toLocaleString("en")} rows`);
      // Gives a pending signal the chance to end the copy.
      await clock.sleep(0);
    };
    const report = await local.copyTo(to, step).finally(progress.done);
    return output.record(doneReply("Database copied", report), copyView);
  },
});

const copyView: RecordView = {
  ...databaseView,
  key: "to",
  fields: { from: { label: "From" }, to: { label: "To" }, ...databaseView.fields },
};
