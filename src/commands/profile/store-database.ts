import type { Capabilities } from "../../cli/capabilities.ts";
import { profileUrl } from "../../config/target.ts";
import { checkProfileName, type Config, type Profile } from "../../config/profiles.ts";
import { SendctlError } from "../../contract/error.ts";
import { shellWord } from "../../contract/text/shell-word.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { doneReply } from "../../output/replies.ts";
import { safeText } from "../../output/safe-text.ts";
import { refuseDryRun } from "../arguments.ts";

/** Returns whether `--local` or `--database` selects a database instead of a service. */
export function isDatabase({ config }: Pick<Capabilities, "config">): boolean {
  const { baseUrl, sources } = config.settings;
  return sources.mode === "flag" && baseUrl === undefined;
}

/**
 * Stores a database as the current profile, after it was opened. A missing file is not created.
 *
 * @param name of the profile
 * @throws SendctlError "usage" for the profile of a service; "database" if the database cannot be opened
 */
export async function storeDatabase(
  context: Capabilities,
  name: string,
  isChecked: boolean,
): Promise<ExitCode> {
  const { settings, read, change } = context.config;
  const { database, databaseUrl, sources } = settings;
  refuseDryRun(context);
  refuseService(read(), name);
  if (isChecked) await context.local.engine("read");
  // The password of a URL is stored like a key: only the owner can read the config file.
  const path = sources.database === "default" ? {} : { database: databaseUrl?.url ?? database };
  await change((config) => {
    const { database: _before, ...rest } = refuseService(config, name);
    const profile: Profile = { ...rest, mode: "local", ...path };
    return { ...config, profiles: new Map(config.profiles).set(name, profile), current: name };
  });
  const message = safeText(`Profile ${name} uses the database ${database}`);
  return context.output.done(doneReply(message, { profile: name, database }));
}

/** Returns the existing or an empty profile. @throws SendctlError "usage" for that of a service, whose key would be lost */
function refuseService({ profiles }: Config, name: string): Profile {
  const profile = profiles.get(name);
  // The name of an existing profile is not checked.
  if (profile === undefined) checkProfileName(name);
  const url = profileUrl(profile);
  if (url === undefined) return profile ?? {};
  throw new SendctlError("usage", `profile "${name}" is for ${url}`, {
    hint: `choose another name with --profile, or run sendctl profile delete ${shellWord(name)}`,
  });
}
