import { defineCommand } from "../../cli/define-command.ts";
import { withoutPassword } from "../../config/database-url.ts";
import { profileDatabase } from "../../config/profiles.ts";
import { lineOf, onePageReply } from "../../output/replies.ts";
import { profileView } from "../../output/views.ts";
import { refuseDryRun } from "../arguments.ts";

export const profileList = defineCommand({
  path: "profile list",
  aliases: ["ls"],
  summary: "List profiles",
  description: "List profiles, with the last characters of their keys.",
  examples: ["sendctl profile list", "sendctl profile list --json"],
  /** Lists profiles in the order of the config file. */
  async run(context) {
    refuseDryRun(context);
    const { file, current, profiles } = context.config.read();
    const data = [...profiles].map(([name, profile]) => {
      const { mode, baseUrl, secretKey } = profile;
      const database = profileDatabase(profile, file);
      return {
        name,
        current: name === current,
        mode: mode === "local" || baseUrl === undefined ? "embedded" : "remote",
        base_url: baseUrl ?? null,
        database: database === undefined ? null : withoutPassword(database),
        key_ending: keyEnding(secretKey),
      };
    });
    return context.output.page(onePageReply("Profiles retrieved", data.map(lineOf)), profileView);
  },
});

/** Returns the last characters of a key, which identify it; none of a short key, which they would half reveal. */
export function keyEnding(key: string | undefined): string | null {
  if (key === undefined) return null;
  return key.length > 8 ? `…${key.slice(-4)}` : "…";
}
