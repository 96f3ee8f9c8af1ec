import { randomBytes } from "node:crypto";
import { platform } from "node:process";
import { SendctlError } from "../core/error.ts";
import type { Captured } from "../core/programs.ts";
import { shellWord } from "../core/text.ts";

/** Runs a program with its arguments. @param input its standard input */
export type RunProgram = (
  command: readonly [string, ...string[]],
  input?: string,
) => Promise<Captured>;

/** The program of a system, and how it is run. The key reaches it on standard input. */
type Tool = typeof security;

const security = {
  name: "security",
  /** What to do if it is missing. */
  install: "it is part of macOS",
  // A command of its interactive mode. The key in hexadecimal needs no quotes.
  storing: (account: string, key: string) => {
    const hex = Buffer.from(key).toString("hex");
    return {
      args: ["-i"],
      input: `add-generic-password -U -s sendctl -a ${account} -X ${hex}\n`,
    };
  },
  finding: (account: string) => ["find-generic-password", "-s", "sendctl", "-a", account, "-w"],
  removing: (account: string) => ["delete-generic-password", "-s", "sendctl", "-a", account],
};

const secretTool: Tool = {
  name: "secret-tool",
  install: "install it (libsecret-tools in Debian and Ubuntu, libsecret in Fedora)",
  storing: (account, key) => {
    const attributes = ["service", "sendctl", "account", account];
    return { args: ["store", "--label", `sendctl ${account}`, ...attributes], input: key };
  },
  finding: (account) => ["lookup", "service", "sendctl", "account", account],
  removing: (account) => ["clear", "service", "sendctl", "account", account],
};

const tools: Partial<Record<NodeJS.Platform, Tool>> = { darwin: security, linux: secretTool };

const instead = "use --key-command, such as --key-command 'pass show sms/prod'";

/** Returns the program of the system. @throws SendctlError "usage" if none is known */
function toolOf(system: NodeJS.Platform): Tool {
  const tool = tools[system];
  if (tool !== undefined) return tool;
  throw new SendctlError("usage", "sendctl supports no keychain on this system", {
    hint: instead,
  });
}

function failureOf({ name, install }: Tool, captured: Captured): SendctlError | undefined {
  if ("code" in captured && captured.code === 0) return undefined;
  if ("failure" in captured && captured.failure === "not_started") {
    return new SendctlError("auth", `${name} cannot be started`, {
      hint: `${install}, or ${instead}`,
    });
  }
  const why = "code" in captured ? `exit code ${captured.code}` : captured.failure;
  return new SendctlError("auth", `${name} could not store the key (${why})`, {
    hint: `the keychain needs a desktop session and must be unlocked; elsewhere ${instead}`,
  });
}

/**
 * Stores a key in the keychain, under an account that no other entry has: profiles can be renamed,
 * and a name used again.
 *
 * @param profile the name of the profile, which begins the account
 * @returns the account, and the command line that prints the key
 * @throws SendctlError "auth" if the keychain cannot be used, "usage" if none is known
 */
export async function storeInKeychain(
  profile: string,
  key: string,
  run: RunProgram,
  system: NodeJS.Platform = platform,
) {
  const tool = toolOf(system);
  const name = profile.replaceAll(/[^A-Za-z0-9._-]/g, "-");
  const account = `${name}-${randomBytes(4).toString("hex")}`;
  const { args, input } = tool.storing(account, key);
  const failure = failureOf(tool, await run([tool.name, ...args], input));
  if (failure !== undefined) throw failure;
  return { account, keyCommand: [tool.name, ...tool.finding(account)].map(shellWord).join(" ") };
}

/** Removes an entry. @returns the command line to do so if it failed here; else undefined */
export async function removeFromKeychain(
  account: string,
  run: RunProgram,
  system: NodeJS.Platform = platform,
): Promise<string | undefined> {
  const tool = toolOf(system);
  const command = [tool.name, ...tool.removing(account)] as const;
  const captured = await run(command);
  const isDone = "code" in captured && captured.code === 0;
  return isDone ? undefined : command.map(shellWord).join(" ");
}
