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
    "Store the base URL of a service and its key as a profile once the service has accepted the key, and make it the current profile. The base URL and, masked, the key are asked for. With --key-command the key is not stored: the command runs in a shell whenever the key is needed, and the first line of its output is the key.",
  options: {
    withKey: flag("--with-key", "read the key from standard input"),
    keyCommand: text(
      "--key-command <command>",
      "store a command that prints the key, not the key",
      {
        conflicts: ["withKey"],
      },
    ),
    noCheck: flag("--no-check", "store the key without asking the service"),
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

/** What a login is called where nobody says otherwise. */
const usualName = "default";

/**
 * Stores an address and its key as a profile, once the service has accepted the key, and makes it the
 * current one. A refusal, or a service that can't be reached, leaves everything as it was.
 *
 * @throws SendctlError "usage" where something is missing and there is nobody to ask
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
  const name = context.config.settings.profile ?? usualName;
  const stored = context.config.read().profiles.get(name);
  // One that is there is called what it is called.
  if (stored === undefined) checkProfileName(name);
  const baseUrl = await addressFor(context, stored);
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
      ...rest
    }: Profile = config.profiles.get(name) ?? {};
    const key = keyCommand === undefined ? { secretKey } : { keyCommand };
    const profiles = new Map(config.profiles).set(name, { ...rest, baseUrl, ...key });
    return { ...config, profiles, current: name };
  });
  if (sources.secretKey === "environment") {
    await context.output.warn(
      "SENDCTL_SECRET_KEY is set, and counts before the key that was stored",
    );
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

/** Of the flag, the variable, the profile that is there, or the person. */
async function addressFor(context: Capabilities, stored: Profile | undefined): Promise<string> {
  const { baseUrl } = context.config.settings;
  if (baseUrl !== undefined) return baseUrl.trim();
  const prompter = context.ask.prompter();
  const question = "Base URL of the service";
  if (stored?.baseUrl !== undefined) {
    const usual = stored.baseUrl;
    return prompter === undefined ? usual : (await prompter.askWithDefault(question, usual)).trim();
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
    // Without a check nothing is sent, and the command need not work here yet.
    const isUsed = noCheck !== true && !context.config.settings.dryRun;
    return isUsed ? context.config.keyOf(keyCommand) : unusedKey;
  }
  const key = (
    await (withKey === true ? keyOfInput(context) : keyOfPerson(context, baseUrl))
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

/** Stands for a key that no request is sent with. */
const unusedKey = "unused";

function checkKeyCommand(command: string | undefined): void {
  if (command === undefined || (command.trim() !== "" && !hasControl(command))) return;
  const problem = command.trim() === "" ? "is empty" : "contains a control character";
  throw new SendctlError("usage", `--key-command ${problem}`, {
    hint: "pass one line, such as --key-command 'pass show sms/prod'",
    setting: "--key-command",
  });
}

/** In bytes: no header can carry more. */
const longestKey = 16 * 1024;

async function keyOfInput(context: Capabilities): Promise<string> {
  if (context.input.isTyped()) {
    // It would stand on the screen.
    throw new SendctlError("usage", "--with-key reads the key from a file or a pipe", {
      hint: "omit --with-key to be asked for the key",
      setting: "--with-key",
    });
  }
  const bytes = await context.input.read(longestKey);
  if (bytes.length <= longestKey) return new TextDecoder().decode(bytes);
  throw new SendctlError("usage", "standard input is longer than 16 KiB", {
    hint: "pass the key alone on standard input",
  });
}

async function keyOfPerson(context: Capabilities, baseUrl: string): Promise<string> {
  const prompter = context.ask.prompter();
  if (prompter === undefined) {
    throw new SendctlError("usage", "no secret key is given", {
      hint: "pass --with-key, and the key on standard input",
      setting: "--with-key",
    });
  }
  return prompter.secret(`Secret key for ${safeText(baseUrl)}`);
}
