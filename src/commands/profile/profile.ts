import { durationText } from "../../config/duration.ts";
import { withoutPassword } from "../../config/database-url.ts";
import { findProfile, profileDatabase, type Profile } from "../../config/profiles.ts";
import type { Capabilities } from "../../cli/capabilities.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import { doneReply, lineOf, onePageReply } from "../../output/replies.ts";
import { refuseDryRun, required } from "../arguments.ts";
import type { DeleteOptions } from "../confirm-delete.ts";
import { profileView, settingsView } from "../../output/views.ts";
import { keyEnding } from "./key-ending.ts";

const question = "Name of the profile";

function modeOf({ mode, baseUrl }: Profile): "embedded" | "remote" {
  return mode === "local" || baseUrl === undefined ? "embedded" : "remote";
}

function databaseOf(profile: Profile, file: string | undefined): string | null {
  const database = profileDatabase(profile, file);
  return database === undefined ? null : withoutPassword(database);
}

/** Lists profiles as the config file has them, in its order. */
export async function listProfiles(context: Capabilities): Promise<ExitCode> {
  refuseDryRun(context);
  const { file, current, profiles } = context.config.read();
  const data = [...profiles].map(([name, profile]) => ({
    name,
    current: name === current,
    mode: modeOf(profile),
    base_url: profile.baseUrl ?? null,
    database: databaseOf(profile, file),
    key_ending: keyEnding(profile.secretKey),
  }));
  return context.output.page(onePageReply("Profiles retrieved", data.map(lineOf)), profileView);
}

/** Makes a profile the current one. @throws SendctlError "usage" where there is none of the name */
export async function useProfile(
  context: Capabilities,
  given: string | undefined,
): Promise<ExitCode> {
  refuseDryRun(context);
  const name = await required(context.ask, given, "NAME", question);
  // Nothing is made where there is nothing to choose from.
  findProfile(context.config.read(), name, "NAME");
  await context.config.change((config) => {
    findProfile(config, name, "NAME");
    return config.current === name ? config : { ...config, current: name };
  });
  return context.output.done(doneReply(`Current profile: ${name}`, { name }));
}

/** Shows what every setting is, and where it comes from; of the key only its end. */
export async function showProfile(
  context: Capabilities,
  name: string | undefined,
): Promise<ExitCode> {
  refuseDryRun(context);
  if (name === "") throw new SendctlError("usage", "NAME is empty: name a profile");
  const settings = context.config.settingsWith(name);
  const { sources } = settings;
  const data = {
    // The argument names it as a flag would.
    profile: { value: settings.profile ?? null, from: sources.profile },
    mode: {
      value: settings.baseUrl === undefined ? "embedded" : "remote",
      from: sources.mode,
    },
    base_url: { value: settings.baseUrl ?? null, from: sources.baseUrl },
    secret_key: { value: keyEnding(settings.secretKey), from: sources.secretKey },
    database: { value: settings.database, from: sources.database },
    output: { value: settings.format, from: sources.output },
    timeout: { value: durationText(settings.timeout), from: sources.timeout },
    retries: { value: settings.retries, from: sources.retries },
  };
  return context.output.record(doneReply("Settings retrieved", data), settingsView);
}

/** Deletes a profile, once that is confirmed; there is no current one then, if it was. */
export async function deleteProfile(
  context: Capabilities,
  given: string | undefined,
  options: DeleteOptions,
): Promise<ExitCode> {
  refuseDryRun(context);
  const name = await required(context.ask, given, "NAME", question);
  findProfile(context.config.read(), name, "NAME");
  if (options.yes !== true) {
    const prompter = context.ask.prompter();
    if (prompter === undefined) {
      throw new SendctlError("usage", "Deleting has to be confirmed: give --yes");
    }
    if (!(await prompter.confirm(`Delete profile ${safeText(name)} and its key?`))) {
      return context.output.declined("Nothing deleted");
    }
  }
  await context.config.change((config) => {
    findProfile(config, name, "NAME");
    const profiles = new Map([...config.profiles].filter(([other]) => other !== name));
    return { ...config, profiles, current: config.current === name ? undefined : config.current };
  });
  return context.output.done(doneReply("Profile deleted", null));
}
