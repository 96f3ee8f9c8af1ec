import { flag, text } from "../../cli/define-command.ts";
import { parseDuration } from "../../config/duration.ts";
import { invalidValue } from "../arguments.ts";

/** The options of `serve` about its database. */
export const databaseOptions = {
  noMigrate: flag("--no-migrate", "never create or change tables"),
  noFirstKey: flag("--no-first-key", "create no key in a database without keys", {
    conflicts: ["writeEnv", "envFile"],
  }),
  waitForDatabase: text(
    "--wait-for-database <duration>",
    "time to wait for it at the start, like 30s",
  ),
};

/** Returns the milliseconds of `--wait-for-database`. @throws SendctlError "usage" */
export function waitOf(duration: string | undefined): number {
  if (duration === undefined || /^0(?:ms|s|m|h)$/.test(duration)) return 0;
  const milliseconds = parseDuration(duration);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidValue("duration", duration, "--wait-for-database", "write 500ms, 30s, 10m or 2h");
}
