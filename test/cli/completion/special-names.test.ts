import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { describe } from "vitest";
import { page, senderId } from "../../remote/sample-responses.ts";
import { startService } from "../../remote/scripted-service.ts";
import { test, type Home } from "../../support/home.ts";
import { installSendctl } from "../../support/install-program.ts";
import { until } from "../../support/waiting.ts";
import { has } from "./shells.ts";

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

/** Installs sendctl, and a shell function of that name that records its last argument. */
async function prepare(home: Home, service: { readonly baseUrl: string }) {
  await installSendctl(home);
  await writeFile(
    join(home.folder, "recorder.sh"),
    `sendctl() {
  if [ "$1" = __complete ]; then command sendctl "$@"; else printf '%s\\n' "\${@: -1}" >> "$HOME/names"; fi
}
round() { echo >> "$HOME/rounds"; }
`,
  );
  await writeFile(
    join(home.folder, "recorder.fish"),
    `function sendctl
  if test "$argv[1]" = __complete
    command sendctl $argv
  else
    printf '%s\\n' $argv[-1] >> "$HOME/names"
  end
end
function round; echo >> "$HOME/rounds"; end
`,
  );
  return {
    ...home.env,
    PATH: `${join(home.folder, "bin")}:${home.env["PATH"]}`,
    TERM: "xterm",
    LC_ALL: "C.UTF-8",
    SENDCTL_BASE_URL: service.baseUrl,
    SENDCTL_SECRET_KEY: "sk_test_of_completion",
  };
}

/** How to start each shell, and its completion. */
const shells = {
  bash: {
    command: "bash --norc -i",
    setup: `set -H; bind 'set bell-style none'; eval "$(sendctl completion bash)"; . ./recorder.sh`,
  },
  zsh: {
    command: "zsh -f -i",
    setup: `setopt no_beep bang_hist; autoload -Uz compinit && compinit -u -D; eval "$(sendctl completion zsh)"; . ./recorder.sh`,
  },
  fish: {
    command: "fish --no-config -i",
    setup: "sendctl completion fish | source; source ./recorder.fish",
  },
} as const;

async function countOf(file: string): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.length;
}

describe.concurrent("a completed name with special characters", () => {
  for (const [shell, { command, setup }] of Object.entries(shells)) {
    test.skipIf(!has(shell) || !has("script"))(
      `is unchanged in the command that ${shell} runs (skipped without ${shell} or script)`,
      { timeout: 120_000 },
      async ({ home, expect }) => {
        const records = names.map((name, index) => ({ ...senderId, id: 1000 - index, name }));
        const service = await startService((_, { respond }) =>
          respond(200, { status: true, message: "", data: page(records) }),
        );
        const env = await prepare(home, service);
        // script runs the shell at a terminal and forwards the keys.
        const terminal = execa("script", ["--quiet", "--command", command, "/dev/null"], {
          env,
          extendEnv: false,
          cwd: home.folder,
          reject: false,
        });
        const rounds = join(home.folder, "rounds");
        // After these characters, fish leaves a quote open.
        const isOpen = shell === "fish" ? /[/=@:.,_-]$/ : /^$/;
        const typable = lines.filter(([, name]) => !isOpen.test(name));
        let count = 0;
        const type = async (line: string): Promise<void> => {
          terminal.stdin.write(`${line}\n`);
          terminal.stdin.write("round\n");
          count += 1;
          await until(`${shell} runs ${line}`, async () => (await countOf(rounds)) >= count, 5);
        };
        await type(setup);
        for (const [typed] of typable) await type(`sendctl sender-id fetch ${typed}\t`);
        terminal.stdin.end("exit\n");
        terminal.kill();
        await terminal;
        await service.close();
        const ran = (await readFile(join(home.folder, "names"), "utf8")).split("\n").slice(0, -1);
        expect(ran).toStrictEqual(typable.map(([, name]) => name));
        await expect(readFile(join(home.folder, "hacked"))).rejects.toThrow("ENOENT");
      },
    );
  }
});
