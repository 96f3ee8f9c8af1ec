import { checkProfileName } from "../../../config/profiles.ts";
import { SendctlError } from "../../../contract/error.ts";
import { pickProfile } from "../pick.ts";
import type { Ask, Session } from "../session.ts";
import { lineFor, optionWords } from "../words.ts";

/** Asks until the text is valid. @param check throws SendctlError "usage" */
async function askUntilValid(
  { complain, prompter }: Session,
  question: string,
  initial: string | undefined,
  check: (text: string) => void,
): Promise<string> {
  for (;;) {
    const text = (
      await (initial === undefined
        ? prompter.ask(question)
        : prompter.askWithDefault(question, initial))
    ).trim();
    try {
      check(text);
      return text;
    } catch (error) {
      if (!(error instanceof SendctlError) || error.kind !== "usage") throw error;
      const hint = error.hint === undefined ? "" : `; ${error.hint}`;
      await complain(`${error.message}${hint}`);
    }
  }
}

const pickedProfile: Ask = async (session) => {
  const name = await pickProfile(session);
  return name === undefined ? undefined : lineFor([], [name]).args;
};

/** Questions for the commands that manage profiles. */
export const profileQuestions: Readonly<Record<string, Ask>> = {
  // The command asks for the key, which cannot be an argument.
  login: async (session) => {
    const { config } = session.context();
    const { profile = "default", insecureHttp } = config.settings;
    const name = await askUntilValid(session, "Name of the profile", profile, (text) => {
      if (!config.read().profiles.has(text)) checkProfileName(text);
    });
    const { readBaseUrl } = await import("../../../remote/http/base-url.ts");
    const stored = config.read().profiles.get(name)?.baseUrl;
    const baseUrl = await askUntilValid(session, "Base URL of the service", stored, (text) => {
      readBaseUrl(text, insecureHttp);
    });
    return [...optionWords("--profile", name), ...optionWords("--base-url", baseUrl)];
  },
  logout: async (session) => {
    const name = await pickProfile(session);
    return name === undefined ? undefined : optionWords("--profile", name);
  },
  "profile use": pickedProfile,
  "profile show": pickedProfile,
  "profile delete": pickedProfile,
  "profile rename": async (session) => {
    const old = await pickProfile(session);
    if (old === undefined) return undefined;
    const name = await askUntilValid(
      session,
      "New name of the profile",
      undefined,
      checkProfileName,
    );
    return lineFor([], [old, name]).args;
  },
};
