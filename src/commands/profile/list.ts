import type { Capabilities } from "../../command/capabilities.ts";
import { defineCommand } from "../../command/define-command.ts";
import { profileDatabase, withoutPassword } from "../../config/database.ts";
import type { Profile } from "../../config/profiles.ts";
import type { Reply } from "../../contract/service.ts";
import { lineOf, onePageReply } from "../../service/lines.ts";
import { profileView } from "../../output/views.ts";
import { refuseDryRun } from "../../command/arguments.ts";

export const profileList = defineCommand({
  path: "profile list",
  aliases: ["ls"],
  summary: "List profiles",
  description: "List profiles, with the last characters of their keys.",
  examples: ["sendctl profile list", "sendctl profile list --json"],
  async run(context) {
    refuseDryRun(context);
    return context.output.page(profilePage(context), profileView);
  },
});

/** Returns the profiles in the order of the config file. */
export function profilePage({ config }: Pick<Capabilities, "config">): Reply {
  const { file, current, profiles } = config.read();
  const data = [...profiles].map(([name, profile]) => ({
    name,
    current: name === current,
    mode: modeOf(profile),
    base_url: profile.baseUrl ?? null,
    database: databaseOf(profile, file),
    key_ending: keyEnding(profile.secretKey),
  }));
  return onePageReply("Profiles retrieved", data.map(lineOf));
}

function modeOf({ mode, baseUrl }: Profile): "embedded" | "remote" {
  return mode === "local" || baseUrl === undefined ? "embedded" : "remote";
}

function databaseOf(profile: Profile, file: string | undefined): string | null {
  const database = profileDatabase(profile, file);
  return database === undefined ? null : withoutPassword(database);
}

/** Returns the last characters of a key, which identify it; none of a short key, which they would half reveal. */
export function keyEnding(key: string | undefined): string | null {
  if (key === undefined) return null;
  return key.length > 8 ? `…${key.slice(-4)}` : "…";
}
