import { exitCodes } from "../../../src/output/exit-codes.ts";
import { dataOf, test } from "../../support/home.ts";
import { parsed, textOf } from "../../docs/markdown.ts";

interface Described {
  readonly flags?: readonly string[];
  readonly name?: string;
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly default?: string;
}

interface Command {
  readonly command: string;
  readonly summary: string;
  readonly arguments?: readonly Described[];
  readonly options?: readonly Described[];
  readonly exit_codes?: readonly { readonly code: number }[];
  readonly examples?: readonly string[];
}

interface MachineHelp {
  readonly commands: readonly Command[];
  readonly global_options: readonly Described[];
  readonly exit_codes: readonly { readonly code: number; readonly meaning: string }[];
  readonly environment: readonly { readonly names: readonly string[] }[];
}

function option({ options = [] }: Command, flag: string): Described | undefined {
  return options.find(({ flags }) => flags?.includes(flag));
}

const skill = textOf("skills/sendctl/SKILL.md");

test("help --json describes every command of the reference, and what all share", async ({
  home,
  expect,
}) => {
  const help = dataOf(await home.run(["help", "--json"])) as MachineHelp;
  const titles = [...textOf("docs/reference.md").matchAll(/^## (sendctl .*)$/gm)];
  expect(help.commands.map(({ command }) => command)).toEqual(titles.map(([, title]) => title));
  for (const { command, summary, examples = [] } of help.commands) {
    expect({ command, summary, examples }).toEqual({
      command,
      summary: expect.stringMatching(/^[A-Z]/),
      examples: expect.arrayContaining([expect.any(String)]),
    });
  }
  expect(help.exit_codes.map(({ code }) => code)).toEqual(Object.values(exitCodes));
  const names = help.environment.flatMap((variable) => variable.names);
  expect(names).toEqual(
    expect.arrayContaining(["SENDCTL_BASE_URL", "SENDCTL_PROFILE", "NO_COLOR"]),
  );
  const flags = help.global_options.flatMap((option) => option.flags ?? []);
  expect(flags).toEqual(expect.arrayContaining(["--profile", "--json", "--help", "--version"]));
});

test("help --json of a command has values, choices, defaults and exit codes", async ({
  home,
  expect,
}) => {
  const of = async (...words: readonly string[]): Promise<Command> => {
    const { commands } = dataOf(await home.run(["help", "--json", ...words])) as MachineHelp;
    expect(commands).toHaveLength(1);
    return commands[0]!;
  };
  expect(option(await of("group", "delete"), "--yes")).toMatchObject({ flags: ["-y", "--yes"] });
  expect(option(await of("group", "list"), "--limit")).toMatchObject({ value: "n" });
  expect(option(await of("group", "update"), "--send-birthday")).not.toHaveProperty("value");
  expect(option(await of("local", "key", "create"), "--integration")).toMatchObject({
    default: "default",
  });
  const { arguments: [shell] = [] } = await of("completion");
  expect(shell).toMatchObject({ name: "SHELL", choices: ["bash", "zsh", "fish", "powershell"] });
  const { exit_codes: codes = [] } = await of("local", "start");
  expect(codes.map(({ code }) => code)).toEqual([5, 8]);
  const { commands } = dataOf(await home.run(["help", "--json", "group"])) as MachineHelp;
  expect(commands.map(({ command }) => command)).toContain("sendctl group rename");
});

test("the skill names exit codes that exist, and is short", ({ expect }) => {
  const codes = [...skill.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
  expect(codes.length).toBeGreaterThan(10);
  expect(Object.values(exitCodes)).toEqual(expect.arrayContaining(codes));
  expect(skill.split("\n").length).toBeLessThan(150);
  expect(parsed(skill).blocks.length).toBeGreaterThan(3);
});
