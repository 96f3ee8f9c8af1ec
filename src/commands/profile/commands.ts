import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { protectedKey, protectionsAt, targetName } from "../../config/target.ts";
import type { Session } from "../../command/session.ts";
import {
  checkProfileName,
  findProfile,
  saveBehaviour,
  type Config,
} from "../../config/profiles.ts";
import { SendctlError } from "../../core/error.ts";
import {
  confirm,
  contradiction,
  deleteOptions,
  missing,
  refuseDryRun,
  required,
} from "../../command/arguments.ts";
import { defineCommand, flag, optional } from "../../command/define-command.ts";
import { counted, safeText, shellWord } from "../../core/text.ts";
import { doneReply } from "../../service/lines.ts";
import type { Settings } from "../../config/settings.ts";
import { forgetKey, login } from "./login.ts";
import { profileList, profileShow } from "./list-and-show.ts";

/**
 * Returns the name of an existing profile: the given one, or one chosen from a list.
 *
 * @param argument as in the help: `NAME`
 * @throws SendctlError "usage" for an unknown name, or if there is none to choose or nobody to ask
 */
async function chosenProfile(
  { ask, config }: Pick<Session, "ask" | "config">,
  given: string | undefined,
  argument: string,
): Promise<string> {
  if (given !== undefined) {
    // An unknown name is reported before a config file is written.
    findProfile(config.read(), given);
    return given;
  }
  const prompter = ask.prompter();
  if (prompter === undefined) throw missing(argument);
  const { profiles, current } = config.read();
  if (profiles.size === 0) {
    throw new SendctlError("usage", "no profiles exist", { hint: "sendctl login" });
  }
  const choices = [...profiles.keys()].map((name) => ({ value: name, name }));
  return prompter.select("Profile", choices, current);
}

const profileUse = defineCommand({
  path: "profile use",
  summary: "Select the current profile",
  description: "Select the profile to use when a command names none.",
  args: { name: optional("profile name", { takes: "profile" }) },
  examples: ["sendctl profile use prod"],
  async run(context, given) {
    refuseDryRun(context);
    const name = await chosenProfile(context, given.name, "NAME");
    const { settings, change } = context.config;
    await change((config) => {
      findProfile(config, name);
      return config.current === name ? config : { ...config, current: name };
    });
    if (settings.sources.mode === "environment") {
      const variable = settings.baseUrl === undefined ? "SENDCTL_DATABASE" : "SENDCTL_BASE_URL";
      await context.output.warn(`${variable} is set and overrides the profile`);
    }
    return context.output.done(doneReply(`Current profile: ${name}`, { name }));
  },
});

export const logout = defineCommand({
  path: "logout",
  description: "Remove the key or key command of a profile, and keep its other settings.",
  examples: ["sendctl logout", "sendctl logout --profile prod"],
  async run(context) {
    refuseDryRun(context);
    const { settings, read, change } = context.config;
    const done = (message: string) => context.output.done(doneReply(safeText(message), null));
    const config = read();
    const name = settings.profile ?? config.current;
    const keep = async (message: string) => {
      // Removes what a killed login has left there.
      if (existsSync(dirname(`${config.file}`))) await change((latest) => latest);
      return done(message);
    };
    if (name === undefined) return keep("No current profile: no key to remove");
    const source = settings.profile === undefined ? "current" : "--profile or SENDCTL_PROFILE";
    const found = findProfile(config, name, source);
    if (found.secretKey === undefined && found.keyCommand === undefined) {
      return keep(`Profile ${name} has no key`);
    }
    let account: string | undefined;
    await change((latest) => {
      const { secretKey: _, keyCommand: __, keychain, ...rest } = findProfile(latest, name, source);
      account = keychain;
      return { ...latest, profiles: new Map(latest.profiles).set(name, rest) };
    });
    await forgetKey(context, account);
    return done(`Key of profile ${name} removed`);
  },
});

const profileDelete = defineCommand({
  path: "profile delete",
  aliases: ["rm", "remove"],
  summary: "Delete a profile",
  description: "Delete a profile and its key.",
  args: { name: optional("profile name", { takes: "profile" }) },
  options: deleteOptions,
  examples: ["sendctl profile delete prod --yes"],
  /** If the profile was the current one, none is current afterwards. */
  async run(context, given, { yes }) {
    const { config, output } = context;
    refuseDryRun(context);
    const name = await chosenProfile(context, given.name, "NAME");
    refuseProtected(config.read(), name);
    if (!yes) {
      await confirm(context, "delete", `Delete profile ${name} and its key?`, "Nothing deleted");
    }
    let wasCurrent = false;
    let account: string | undefined;
    await config.change((latest) => {
      account = findProfile(latest, name).keychain;
      refuseProtected(latest, name);
      wasCurrent = latest.current === name;
      const profiles = new Map([...latest.profiles].filter(([known]) => known !== name));
      return { ...latest, profiles, current: wasCurrent ? undefined : latest.current };
    });
    await forgetKey(context, account);
    if (wasCurrent) await output.warn(withoutProfile(config.settings));
    return output.done(doneReply("Profile deleted", null));
  },
});

/** Refuses to delete a profile whose name confirms deletes. @throws SendctlError "usage" */
function refuseProtected({ protections }: Config, name: string): void {
  if (![...protections.values()].some(({ profile }) => profile === name)) return;
  throw new SendctlError("usage", `profile ${name} is protected`, {
    hint: `remove the protection first: sendctl profile protect ${shellWord(name)} --off`,
  });
}

/** Names the target without a current profile. @param settings resolved without the config file */
function withoutProfile({ profile, baseUrl, database }: Settings): string {
  // Each command names a profile of its own.
  if (profile !== undefined) return "No current profile: select one with sendctl profile use NAME";
  return safeText(
    `No current profile: commands now use ${baseUrl ?? `the embedded engine, ${database}`}`,
  );
}

const profileRename = defineCommand({
  path: "profile rename",
  aliases: ["mv"],
  summary: "Rename a profile",
  description: "Rename a profile. Its settings and its key are kept.",
  args: {
    old: optional("current name", { takes: "profile" }),
    new: optional("new name: letters, digits, dots, dashes and underscores"),
  },
  examples: ["sendctl profile rename prod production"],
  async run(context, given) {
    refuseDryRun(context);
    const from = await chosenProfile(context, given.old, "OLD");
    const to = await required(context.ask, given.new, "NEW", "New name of the profile");
    checkProfileName(to);
    // A mistake is reported before a config file is written.
    renamed(context.config.read(), from, to);
    await context.config.change((config) => renamed(config, from, to));
    const message = safeText(`Profile ${from} renamed to ${to}`);
    return context.output.done(doneReply(message, { name: to, previous_name: from }));
  },
});

/** Renames a profile; it stays current. @throws SendctlError "usage" for an unknown or used name */
function renamed(config: Config, from: string, to: string): Config {
  findProfile(config, from);
  if (from === to) return config;
  if (config.profiles.has(to)) {
    throw new SendctlError("usage", `profile "${to}" already exists`, {
      hint: `choose another name, or run sendctl profile delete ${shellWord(to)}`,
    });
  }
  const profiles = new Map(
    [...config.profiles].map(([name, profile]) => [name === from ? to : name, profile]),
  );
  const protections = new Map(
    [...config.protections].map(([target, protection]) => {
      const { profile } = protection;
      return [target, { ...protection, profile: profile === from ? to : profile }];
    }),
  );
  const current = config.current === from ? to : config.current;
  return { ...config, profiles, protections, current };
}

const profileSetBehaviour = defineCommand({
  path: "profile set-behaviour",
  summary: "Store a behaviour file in a profile",
  description:
    "Store in a profile how its service behaves where the specification is silent, replacing any behaviour stored before. Commands then rely on it, which saves requests. Switches that the file omits are unknown.",
  args: {
    name: optional("profile name", { takes: "profile" }),
    file: optional("behaviour file in YAML or JSON; - for standard input"),
  },
  options: { clear: flag("--clear", "remove the behaviour of the profile") },
  examples: [
    "sendctl profile set-behaviour prod behaviour.yaml",
    "sendctl profile set-behaviour prod --clear",
  ],
  async run(context, { name: given, file }, { clear }) {
    refuseDryRun(context);
    if (clear && file !== undefined) throw contradiction("--clear", "FILE");
    const name = await required(context.ask, given, "NAME", "Name of the profile");
    // A mistake is reported before a config file is written.
    const { baseUrl } = findProfile(context.config.read(), name, "NAME");
    if (!clear && file === undefined) throw missing("FILE");
    if (!clear && baseUrl === undefined) {
      throw new SendctlError("usage", `profile ${name} has no base URL, so no behaviour`, {
        hint: "sendctl serve --behaviour FILE",
      });
    }
    const behaviour = file === undefined ? undefined : await context.input.behaviour(file);
    await context.config.change(saveBehaviour(name, behaviour));
    const count = Object.keys(behaviour ?? {}).length;
    const done = clear ? "removed" : `stored: ${counted(count, "switch", "switches")}`;
    const message = safeText(`Behaviour of profile ${name} ${done}`);
    return context.output.done(doneReply(message, { name, behaviour: behaviour ?? null }));
  },
});

const profileProtect = defineCommand({
  path: "profile protect",
  summary: "Protect the service or database of a profile",
  description:
    "Protect the service or database of a profile, however a command selects it. Deletes then require the profile name, typed or in --confirm. With --read-only, every change is refused.",
  args: { name: optional("profile name", { takes: "profile" }) },
  options: {
    readOnly: flag("--read-only", "refuse every change"),
    off: flag("--off", "remove the protection", { conflicts: ["readOnly"] }),
  },
  examples: [
    "sendctl profile protect prod",
    "sendctl profile protect prod --read-only",
    "sendctl profile protect prod --off",
  ],
  async run(context, given, { readOnly, off }) {
    refuseDryRun(context);
    const name = await chosenProfile(context, given.name, "NAME");
    const { config, output } = context;
    const settings = config.settingsWith(name);
    // An option would select another target than that of the profile.
    if (settings.sources.mode === "flag") throw contradiction("NAME", "the option for a target");
    const key = protectedKey(settings);
    const level = off ? null : readOnly ? "read-only" : "confirm";
    const before = protectionsAt(settings, config.read()).map(([, protection]) => protection);
    const other = before.find(({ profile }) => profile !== name);
    // A target has one name that confirms deletes.
    if (other !== undefined && !off) {
      const message = `${targetName(settings)} is already protected as profile ${other.profile}`;
      const hint = `remove that first: sendctl profile protect ${shellWord(other.profile)} --off`;
      throw new SendctlError("usage", message, { hint });
    }
    const lowered = before.some(({ level: old }) => old === "read-only")
      ? ", and it is no longer read-only"
      : "";
    await config.change((latest) => {
      findProfile(latest, name);
      const protections = new Map(latest.protections);
      for (const [same] of protectionsAt(settings, latest)) protections.delete(same);
      // Targets that the profile had before.
      for (const [other, { profile }] of off ? latest.protections : [])
        if (profile === name) protections.delete(other);
      if (level !== null) protections.set(key, { profile: name, level });
      return { ...latest, protections };
    });
    const confirmed = `protected: deletes require the name ${name}${lowered}`;
    const done = off ? "no longer protected" : readOnly ? level : confirmed;
    const data = { profile: name, protection: level };
    return output.done(doneReply(safeText(`${targetName(settings)} is ${done}`), data));
  },
});

/** The commands of `sendctl profile`, in help order; `sendctl login` and `sendctl logout`. */
export const commands = [
  profileList,
  profileUse,
  profileShow,
  profileRename,
  profileSetBehaviour,
  profileProtect,
  profileDelete,
  login,
  logout,
];
