import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa, execaSync } from "execa";
import type { Home } from "../../support/home.ts";
import { installProgram } from "../../support/install-program.ts";
import { until } from "../../support/waiting.ts";

/** Returns whether a program is installed. Tests are skipped without it. */
export function has(program: string): boolean {
  return execaSync("sh", ["-c", `command -v ${program}`], { reject: false }).exitCode === 0;
}

/** How to start each shell, and its completion. */
const shells = {
  bash: {
    command: "bash --norc -i",
    setup: `set -Hu; bind 'set bell-style none'; eval "$(sendctl completion bash)"; . ./recorder.sh`,
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

export const shellNames = Object.keys(shells) as (keyof typeof shells)[];

/** Shell functions named sendctl that record the command lines they run, one word a line. */
const recorders = {
  "recorder.sh": `sendctl() {
  if [ "$1" = __complete ]; then command sendctl "$@"; else printf '%s\\n' "$@" '' >> "$HOME/typed"; fi
}
round() { echo >> "$HOME/rounds"; }
`,
  "recorder.fish": `function sendctl
  if test "$argv[1]" = __complete
    command sendctl $argv
  else
    printf '%s\\n' $argv '' >> "$HOME/typed"
  end
end
function round; echo >> "$HOME/rounds"; end
`,
};

async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

/**
 * Installs a `sendctl` that passes its arguments to this process, which completes them: starting the built program takes
 * most of the time of a completion. Returns a function that ends this.
 */
export async function completeHere(
  home: Home,
  env: Readonly<Record<string, string>>,
): Promise<() => Promise<unknown>> {
  const [requests, responses] = ["requests", "responses"].map((name) => join(home.folder, name));
  await execa("mkfifo", [requests!, responses!]);
  const script = `printf '%s\\0' "$@" > '${requests}' && cat '${responses}'`;
  await installProgram(home, "sendctl", script);
  const respond = async (): Promise<void> => {
    const words = (await readFile(requests!, "utf8")).split("\0").slice(0, -1);
    if (words.length === 0) return;
    const { stdout } = await home.run(words, env);
    await writeFile(responses!, stdout);
    await respond();
  };
  const ended = respond();
  return async () => Promise.all([writeFile(requests!, ""), ended]);
}

/** Types lines into a shell at a terminal, each with the tab key. Returns the words of the commands that it runs. */
export async function typedInto(
  home: Home,
  shell: keyof typeof shells,
  lines: readonly string[],
): Promise<string[][]> {
  for (const [name, text] of Object.entries(recorders)) {
    await writeFile(join(home.folder, name), text);
  }
  const { command, setup } = shells[shell];
  // script runs the shell at a terminal and forwards the keys.
  const terminal = execa("script", ["--quiet", "--command", command, "/dev/null"], {
    env: {
      ...home.env,
      PATH: `${join(home.folder, "bin")}:${home.env["PATH"]}`,
      TERM: "xterm",
      LC_ALL: "C.UTF-8",
    },
    extendEnv: false,
    cwd: home.folder,
    reject: false,
  });
  const rounds = join(home.folder, "rounds");
  let count = 0;
  for (const line of [setup, ...lines.map((typed) => `${typed}\t`)]) {
    terminal.stdin.write(`${line}\n`);
    terminal.stdin.write("round\n");
    count += 1;
    await until(`${shell} runs ${line}`, async () => (await textOf(rounds)).length >= count, 5);
  }
  terminal.stdin.end("exit\n");
  terminal.kill();
  await terminal;
  const recorded = (await textOf(join(home.folder, "typed"))).split("\n\n").slice(0, -1);
  return recorded.map((words) => words.split("\n"));
}
