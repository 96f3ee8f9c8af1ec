import { checkProfileName, hasControl, keyText, type Profile } from "../../config/profiles.ts";
import type { Capabilities } from "../../cli/capabilities.ts";
import { succeeded } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import { doneReply } from "../../output/replies.ts";
import { missing, refuseDryRun } from "../arguments.ts";
import { keyEnding } from "./key-ending.ts";
import { defineCommand, flag, text } from "../../cli/define-command.ts";

export const login = defineCommand({
  path: "login",
  description:
    "Store the base URL and the key of a service as a profile, after checking the key with the service, and make it the current profile. Asks for the base URL and, masked, for the key. With --key-command the key is not stored: the command runs in a shell whenever the key is needed, and the first line of its output is the key.",
  options: {
    withKey: flag("--with-key", "read the key from standard input"),
    keyCommand: text(
      "--key-command <command>",
      "command that prints the key, stored instead of the key",
      {
        conflicts: ["withKey"],
      },
    ),
    noCheck: flag("--no-check", "store the key without checking it with the service"),
  },
  examples: [
    "sendctl login",
    "sendctl login --profile prod --base-url https://sms.example.com",
    "sendctl login --profile prod --key-command 'pass show sms/prod'",
  ],
  async run(context, _, options) {
    return storeKey(context, options);
  },
});

interface LoginOptions {
  readonly withKey?: boolean;
  readonly keyCommand?: string;
  readonly noCheck?: boolean;
}

/** The profile name if none is given. */
const defaultName = "default";

/**
 * Stores a base URL and its key as the current profile, after the service has accepted the key. If the key
 * is rejected or the service cannot be reached, nothing is changed.
 *
 * @throws SendctlError "usage" for an invalid base URL or key, or a missing one that cannot be asked for
 */
async function storeKey(context: Capabilities, options: LoginOptions): Promise<ExitCode> {
  const { sources } = context.config.settings;
  if (sources.mode === "flag" && context.config.settings.baseUrl === undefined) {
    throw new SendctlError(
      "usage",
      "--local and --database select the embedded engine, which needs no login",
      {
        hint: "pass --base-url URL for a service",
        setting: "--local",
      },
    );
  }
  checkKeyCommand(options.keyCommand);
  if (options.noCheck === true) refuseDryRun(context);
  const name = context.config.settings.profile ?? defaultName;
  const stored = context.config.read().profiles.get(name);
  // The name of an existing profile is not checked.
  if (stored === undefined) checkProfileName(name);
  const baseUrl = await baseUrlFor(context, stored);
  // Checked before the key is asked for or read.
  await context.target.checkBaseUrl(baseUrl);
  const { keyCommand } = options;
  const secretKey = await keyFor(context, options, baseUrl);
  const service = await context.target.serviceAt(baseUrl, secretKey);
  if (options.noCheck !== true) {
    const reply = await service["sender-id.list"]({ query: { perPage: 1 } });
    if (!succeeded(reply)) return context.output.refusal(reply);
  }
  await context.config.change((config) => {
    const {
      mode: _mode,
      secretKey: _key,
      keyCommand: _command,
      behaviour,
      ...rest
    }: Profile = config.profiles.get(name) ?? {};
    // The behaviour is that of the service.
    const isSameService = rest.baseUrl === baseUrl;
    const kept = isSameService && behaviour !== undefined ? { behaviour } : {};
    const key = keyCommand === undefined ? { secretKey } : { keyCommand };
    const profiles = new Map(config.profiles).set(name, { ...rest, ...kept, baseUrl, ...key });
    return { ...config, profiles, current: name };
  });
  if (sources.secretKey === "environment") {
    await context.output.warn("SENDCTL_SECRET_KEY is set and overrides the stored key");
  }
  const message = safeText(`Logged in to ${baseUrl} · profile ${name}`);
  const data = {
    profile: name,
    base_url: baseUrl,
    key_ending: keyCommand === undefined ? keyEnding(secretKey) : null,
    ...(keyCommand === undefined ? {} : { key_command: keyCommand }),
  };
  return context.output.done(doneReply(message, data));
}

/** Returns the base URL from the flag, the variable, the existing profile or a prompt. */
async function baseUrlFor(context: Capabilities, stored: Profile | undefined): Promise<string> {
  const { baseUrl } = context.config.settings;
  if (baseUrl !== undefined) return baseUrl.trim();
  const prompter = context.ask.prompter();
  const question = "Base URL of the service";
  if (stored?.baseUrl !== undefined) {
    const current = stored.baseUrl;
    return prompter === undefined
      ? current
      : (await prompter.askWithDefault(question, current)).trim();
  }
  if (prompter === undefined) throw missing("--base-url URL");
  return (await prompter.ask(question)).trim();
}

async function keyFor(
  context: Capabilities,
  { withKey, keyCommand, noCheck }: LoginOptions,
  baseUrl: string,
): Promise<string> {
  if (keyCommand !== undefined) {
    // Without a check no request is sent, so the command is not run and need not work here.
    const isUsed = noCheck !== true && !context.config.settings.dryRun;
    return isUsed ? context.config.keyOf(keyCommand) : unusedKey;
  }
  const key = (
    await (withKey === true ? keyFromInput(context) : keyFromPrompt(context, baseUrl))
  ).trim();
  if (keyText.test(key)) return key;
  throw new SendctlError(
    "usage",
    key === ""
      ? "standard input contains no key"
      : "the key contains white space or characters that a header cannot carry",
    { hint: "pass the key alone on standard input" },
  );
}

/** A placeholder for a key that no request is sent with. */
const unusedKey = "unused";

function checkKeyCommand(command: string | undefined): void {
  if (command === undefined || (command.trim() !== "" && !hasControl(command))) return;
  const problem = command.trim() === "" ? "is empty" : "contains a control character";
  throw new SendctlError("usage", `--key-command ${problem}`, {
    hint: "pass one line, such as --key-command 'pass show sms/prod'",
    setting: "--key-command",
  });
}

/** In bytes: no header can carry a longer key. */
const maxKeyBytes = 16 * 1024;

async function keyFromInput(context: Capabilities): Promise<string> {
  if (context.input.isTyped()) {
    // Typed text would be visible on the screen.
    throw new SendctlError("usage", "--with-key reads the key from a file or a pipe", {
      hint: "omit --with-key to be asked for the key",
      setting: "--with-key",
    });
  }
  const bytes = await context.input.read(maxKeyBytes);
  if (bytes.length <= maxKeyBytes) return new TextDecoder().decode(bytes);
  throw new SendctlError("usage", "standard input is longer than 16 KiB", {
    hint: "pass the key alone on standard input",
  });
}

async function keyFromPrompt(context: Capabilities, baseUrl: string): Promise<string> {
  const prompter = context.ask.prompter();
  if (prompter === undefined) {
    throw new SendctlError("usage", "missing secret key", {
      hint: "pass --with-key and the key on standard input",
      setting: "--with-key",
    });
  }
  return prompter.secret(`Secret key for ${safeText(baseUrl)}`);
}
