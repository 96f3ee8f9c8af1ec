import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { page, senderId } from "../../client/sample-responses.ts";
import { startService } from "../../client/scripted-service.ts";
import { test } from "../../support/home.ts";
import { completeHere, has, shellNames, typedInto } from "./shells.ts";

const special = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ";

const everyCharacter = Array.from(special, (one) => `a${one}${one}b${one}`);

/** Names that a service may return. Each has a unique prefix. */
const names = [
  ...everyCharacter,
  "!!",
  "!$ !^ !-1 !?x? !#",
  'it\'s "me"!x',
  `!'"!"'`,
  "$(touch hacked) `touch hacked`",
  "{a,b} ~ *.json ^a^b^",
  "\\!",
  "é日本!🎂",
  special,
].map((name, index) => `n${String(index).padStart(2, "0")}${name}`);

/** The typed text before the tab key, and the name that the shell must run. */
const lines = names.flatMap((name, index) => {
  const start = `n${String(index).padStart(2, "0")}`;
  // Double quotes are the hardest case.
  const quotes = index < everyCharacter.length ? ['"'] : ["", '"', "'"];
  return quotes.map((quote) => [`${quote}${start}`, name] as const);
});

describe.concurrent("a completed name with special characters", () => {
  for (const shell of shellNames) {
    test.skipIf(!has(shell) || !has("script"))(
      `is unchanged in the command that ${shell} runs (skipped without ${shell} or script)`,
      { timeout: 120_000 },
      async ({ home, expect }) => {
        const records = names.map((name, index) => ({ ...senderId, id: 1000 - index, name }));
        const service = await startService((_, { respond }) =>
          respond(200, { status: true, message: "", data: page(records) }),
        );
        const env = {
          SENDCTL_BASE_URL: service.baseUrl,
          SENDCTL_SECRET_KEY: "sk_test_of_completion",
        };
        // After these characters, fish leaves a quote open.
        const isOpen = shell === "fish" ? /[/=@:.,_-]$/ : /^$/;
        const typable = lines.filter(([, name]) => !isOpen.test(name));
        const typed = typable.map(([start]) => `sendctl sender-id fetch ${start}`);
        const endCompletion = await completeHere(home, env);
        const ran = await typedInto(home, shell, typed).finally(endCompletion);
        await service.close();
        expect(ran.map((words) => words.at(-1))).toStrictEqual(typable.map(([, name]) => name));
        await expect(readFile(join(home.folder, "hacked"))).rejects.toThrow("ENOENT");
      },
    );
  }
});
