import {
  type Config,
  type Profile,
  checkProfileName,
  keyText,
  profileUrl,
} from "../../config/profiles.ts";
import type { Session } from "../../command/session.ts";
import { databaseFile } from "../../config/database.ts";
import { protectedKey, protectionsAt } from "../../config/target.ts";
import { SendctlError, reworded } from "../../core/error.ts";
import { utf8Text } from "../../core/files.ts";
import { control, safeText, shellWord } from "../../core/text.ts";
import { doneReply } from "../../service/lines.ts";
import { contradiction, missing, refuseDryRun } from "../../command/arguments.ts";
import { keyEnding } from "./list-and-show.ts";
import { defineCommand, flag, optional, text, type Values } from "../../command/define-command.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { isRefusal } from "../../service/refusals.ts";

const loginOptions = {
  withKey: flag("--with-key", "read the key from standard input"),
  keyCommand: text(
    "--key-command <command>",
    "command that prints the key, stored instead of the key",
    { conflicts: ["withKey"] },
  ),
  keychain: flag("--keychain", "store the key in the system keychain", {
    conflicts: ["keyCommand"],
  }),
  noCheck: flag("--no-check", "store the key without checking it with the service"),
};

/** If the key is rejected or the service cannot be reached, nothing is changed. */
export const login = defineCommand({
  path: "login",
  args: { url: optional("base URL of the service, the same as --base-url") },
  description:
    "Store the base URL and the key of a service as a profile, after checking the key with the service, and make it the current profile. At a terminal, asks for a profile name, the base URL and, masked, the key. With --key-command the key is not stored: the command runs in a shell whenever the key is needed, and the first line of its output is the key. With --keychain, the key is stored in the macOS keychain or, through secret-tool, the Linux one, and the profile stores the command that reads it. With --database or --local, the profile selects the embedded engine.",
  options: loginOptions,
  examples: [
    "sendctl login",
    "sendctl login --profile prod --base-url https://sms.example.com",
    "sendctl login --profile prod --key-command 'pass show sms/prod'",
    "sendctl login --profile prod --keychain",
    "sendctl login --profile dev --database dev.db",
  ],
  async run(context, { url }, options) {
    const { settings, read } = context.config;
    const { withKey, keyCommand, keychain, noCheck } = options;
    const { sources } = settings;
    if (url !== undefined && sources.baseUrl === "flag" && url !== settings.baseUrl) {
      throw contradiction("--base-url", "the URL argument");
    }
    checkKeyCommand(keyCommand);
    if (url !== undefined && /^[\w-]+$/.test(url)) {
      const hint = `to log in to a profile: sendctl login --profile ${shellWord(url)}`;
      throw new SendctlError("usage", `"${url}" is not a base URL`, { hint });
    }
    const address = url ?? settings.baseUrl;
    if (address !== undefined) await context.target.checkBaseUrl(address.trim());
    const name = settings.profile ?? (withKey ? "default" : await askName(context));
    // `--local` or `--database` selects a database instead of a service.
    if (sources.mode === "flag" && settings.baseUrl === undefined) {
      const option = sources.database === "flag" ? "--database" : "--local";
      if (url !== undefined) throw contradiction(option, "the URL argument");
      if (withKey) throw contradiction(option, "--with-key");
      if (keyCommand !== undefined) throw contradiction(option, "--key-command");
      if (keychain) throw contradiction(option, "--keychain");
      return storeDatabase(context, name, !noCheck);
    }
    if (noCheck) refuseDryRun(context);
    const stored = read().profiles.get(name);
    // The name of an existing profile is not checked.
    if (stored === undefined) checkProfileName(name);
    // Checked before the key is asked for or read.
    const baseUrl = await baseUrlFor(context, url, stored);
    const secretKey = await keyFor(context, options, baseUrl);
    const service = await context.target.serviceAt(baseUrl, secretKey);
    if (!noCheck) {
      await service["sender-id.list"]({ query: { perPage: 1 } }).catch((error: unknown) => {
        if (!isRefusal(error) || ![401, 403].includes(error.reply.status)) throw error;
        const hint = `nothing was stored; check that the key belongs to ${baseUrl}`;
        throw reworded(error, error.message, { hint });
      });
    }
    const key: Pick<Profile, "secretKey" | "keyCommand" | "keychain"> = keychain
      ? await keepInKeychain(context, name, secretKey)
      : keyCommand === undefined
        ? { secretKey }
        : { keyCommand };
    await storeProfile(context, name, { baseUrl, ...key });
    const earlier = profileUrl(stored);
    if (earlier !== undefined && earlier !== baseUrl) {
      await context.output.warn(safeText(`profile ${name} was for ${earlier} before`));
    }
    if (sources.secretKey === "environment") {
      await context.output.warn("SENDCTL_SECRET_KEY is set and overrides the stored key");
    }
    const message = safeText(`Logged in to ${baseUrl} · profile ${name}`);
    const data = {
      profile: name,
      base_url: baseUrl,
      key_ending: keyCommand === undefined ? keyEnding(secretKey) : null,
      key_command: key.keyCommand,
    };
    return context.output.done(doneReply(message, data));
  },
});

/** Stores a profile and makes it current. A key that it had in the keychain is removed. */
async function storeProfile(
  context: Session,
  name: string,
  given: Pick<Profile, "secretKey" | "keyCommand" | "keychain"> & { readonly baseUrl: string },
): Promise<void> {
  let replaced: string | undefined;
  const store = (config: Config): Config => {
    const {
      mode: _mode,
      secretKey: _key,
      keyCommand: _command,
      keychain: account,
      behaviour,
      ...rest
    }: Profile = config.profiles.get(name) ?? {};
    replaced = account;
    // The behaviour is that of the service.
    const isSameService = rest.baseUrl === given.baseUrl;
    const kept = isSameService && behaviour !== undefined ? { behaviour } : {};
    const place = { ...context.config.settings, baseUrl: given.baseUrl };
    return withCurrent(config, name, { ...rest, ...kept, ...given }, place);
  };
  try {
    await context.config.change(store);
  } catch (error) {
    await forgetKey(context, given.keychain);
    throw error;
  }
  await forgetKey(context, replaced);
}

/** Asks for the name of a profile until it is valid. Without a person to ask, it is `default`. */
async function askName(context: Session): Promise<string> {
  const prompter = context.ask.prompter();
  if (prompter === undefined) return "default";
  return askUntilValid(context, async () => {
    const name = (await prompter.ask("Profile name", "default")).trim();
    if (!context.config.read().profiles.has(name)) checkProfileName(name);
    return name;
  });
}

/** Asks again after an invalid answer, for which `ask` throws SendctlError "usage". */
async function askUntilValid(context: Session, ask: () => Promise<string>): Promise<string> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof SendctlError) || error.kind !== "usage") throw error;
      const { message, hint } = error;
      const advice = hint === undefined ? "" : `\nhint: ${safeText(hint)}`;
      await context.output.printError(`${safeText(message)}${advice}`);
    }
  }
}

/** Stores a profile and makes it current. A protected profile stays so with a new target. */
function withCurrent(
  config: Config,
  name: string,
  profile: Profile,
  place: Parameters<typeof protectedKey>[0],
): Config {
  const protections = new Map(config.protections);
  const own = [...protections.values()].find((protection) => protection.profile === name);
  if (own && protectionsAt(place, config).length === 0) protections.set(protectedKey(place), own);
  return {
    ...config,
    profiles: new Map(config.profiles).set(name, profile),
    protections,
    current: name,
  };
}

/**
 * Returns a valid base URL from the argument, flag, variable, existing profile or a prompt.
 *
 * @throws SendctlError "usage" for an invalid one that was not typed at a prompt
 */
async function baseUrlFor(
  context: Session,
  url: string | undefined,
  stored: Profile | undefined,
): Promise<string> {
  const prompter = context.ask.prompter();
  const { checkBaseUrl } = context.target;
  const given = url ?? context.config.settings.baseUrl;
  if (given !== undefined || prompter === undefined) {
    const known = (given ?? stored?.baseUrl)?.trim();
    if (known === undefined) throw missing("--base-url URL");
    await checkBaseUrl(known);
    return known;
  }
  return askUntilValid(context, async () => {
    const typed = (await prompter.ask("Base URL of the service", stored?.baseUrl)).trim();
    await checkBaseUrl(typed);
    return typed;
  });
}

const keyHint = "pass the key alone on standard input";

async function keyFor(
  context: Session,
  { withKey, keyCommand, noCheck }: Values<typeof loginOptions>,
  baseUrl: string,
): Promise<string> {
  if (keyCommand !== undefined) {
    // Without a check no request is sent, so the command is not run and need not work here.
    const isUsed = !noCheck && !context.config.settings.dryRun;
    return isUsed ? context.config.keyOf(keyCommand) : "unused";
  }
  const key = (await (withKey ? keyFromInput(context) : keyFromPrompt(context, baseUrl))).trim();
  if (keyText.test(key)) return key;
  const problem =
    key === ""
      ? "standard input contains no key"
      : "the key contains white space or characters that a header cannot carry";
  throw new SendctlError("usage", problem, { hint: keyHint });
}

function checkKeyCommand(command: string | undefined): void {
  if (command === undefined || (command.trim() !== "" && !control.test(command))) return;
  const problem = command.trim() === "" ? "is empty" : "contains a control character";
  throw new SendctlError("usage", `--key-command ${problem}`, {
    hint: "pass one line, such as --key-command 'pass show sms/prod'",
  });
}

/** In bytes: no header can carry a longer key. */
const maxKeyBytes = 16 * 1024;

async function keyFromInput(context: Session): Promise<string> {
  if (context.input.isTyped()) {
    // Typed text would be visible on the screen.
    throw new SendctlError("usage", "--with-key reads the key from a file or a pipe", {
      hint: "omit --with-key to be asked for the key",
    });
  }
  const bytes = await context.input.read(maxKeyBytes);
  return utf8Text(bytes, maxKeyBytes, "standard input", keyHint);
}

async function keyFromPrompt(context: Session, baseUrl: string): Promise<string> {
  const prompter = context.ask.prompter();
  if (prompter !== undefined) return prompter.secret(`Secret key for ${safeText(baseUrl)}`);
  const hint = "pass --with-key and the key on standard input";
  throw new SendctlError("usage", "missing secret key", { hint });
}

/**
 * Stores a database as the current profile, after it was opened. A missing file is not created.
 *
 * @param name of the profile
 * @throws SendctlError "usage" for the profile of a service, "database" if it cannot be opened
 */
async function storeDatabase(
  context: Session,
  name: string,
  isChecked: boolean,
): Promise<ExitCode> {
  const { settings, read, change } = context.config;
  const { databaseUrl, sources } = settings;
  const database = databaseFile(settings);
  refuseDryRun(context);
  refuseService(read(), name);
  if (isChecked) await (await context.local.engine("read")).checkHealth();
  // The password of a URL is stored like a key: only the owner can read the config file.
  const path = sources.database === "default" ? {} : { database: databaseUrl?.url ?? database };
  await change((config) => {
    const { database: _before, ...rest } = refuseService(config, name);
    const place = { ...settings, baseUrl: undefined };
    return withCurrent(config, name, { ...rest, mode: "local", ...path }, place);
  });
  const message = safeText(`Profile ${name} uses the database ${database} and is the current one`);
  return context.output.done(doneReply(message, { profile: name, database }));
}

/** Returns the profile or a new one. @throws SendctlError "usage" for a service, to keep its key */
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

type Context = Pick<Session, "config" | "output">;

/**
 * Stores a key in the keychain of the system, and reads it back. After a failure nothing is stored.
 * Returns the account and the command that prints the key, for the profile.
 *
 * @throws SendctlError "auth" if the keychain cannot be used, "usage" if the system has none known
 */
async function keepInKeychain(context: Context, profile: string, key: string) {
  const { keyOf, runProgram } = context.config;
  const { storeInKeychain } = await import("../../config/keychain.ts");
  const { account: keychain, keyCommand } = await storeInKeychain(profile, key, runProgram);
  const found = await keyOf(keyCommand).catch(() => undefined);
  if (found === key) return { keychain, keyCommand };
  await forgetKey(context, keychain);
  throw new SendctlError("auth", "the keychain did not return the key that was stored", {
    hint: "unlock it, or use --key-command, such as --key-command 'pass show sms/prod'",
  });
}

/** Removes a key from the keychain, or warns that it is left. @param account undefined for none */
export async function forgetKey(context: Context, account: string | undefined): Promise<void> {
  if (account === undefined) return;
  const { removeFromKeychain } = await import("../../config/keychain.ts");
  const command = await removeFromKeychain(account, context.config.runProgram);
  if (command === undefined) return;
  await context.output.warn(safeText(`the key is still in the keychain; to remove it: ${command}`));
}
