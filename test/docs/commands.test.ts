import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { runInProcess } from "../support/built-program.ts";

// The help of every command is read, while other tests may run.
vi.setConfig({ testTimeout: 60_000 });

/** The help of each command, read once. */
const pages = new Map<string, Promise<string>>();

function help(...words: string[]): Promise<string> {
  const key = words.join(" ");
  const page = pages.get(key) ?? readHelp(words);
  pages.set(key, page);
  return page;
}

async function readHelp(words: readonly string[]): Promise<string> {
  const { stdout } = await runInProcess([...words, "--help"], "/nowhere", {});
  return stdout;
}

/** Returns the first word of each line under a heading of the help. */
function listed(text: string, heading: string): string[] {
  const section = text.split("\n\n").find((part) => part.startsWith(heading)) ?? "";
  return section.split("\n").flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
}

function words(text: string): string[] {
  return listed(text, "Commands:").map((word) => word.split("|")[0]!);
}

/** Returns every command below some words: the words themselves if they are a command. */
async function commands(path: readonly string[] = []): Promise<(readonly string[])[]> {
  const inner = words(await help(...path));
  if (inner.length === 0) return [path];
  return (await Promise.all(inner.map((word) => commands([...path, word])))).flat();
}

const reference = readFileSync("docs/reference.md", "utf8");

/** Returns the section of the command reference on a command. */
function sectionOf(command: readonly string[]): string | undefined {
  return reference.split(/^## /m).find((part) => part.startsWith(`sendctl ${command.join(" ")}\n`));
}

test("the command reference has every command and every option of it", async () => {
  const all = await commands();
  expect(all.length).toBeGreaterThanOrEqual(40);
  for (const command of all) {
    const section = sectionOf(command);
    expect(section, command.join(" ")).toBeDefined();
    for (const line of (await help(...command))
      .split("\n\n")
      .filter((part) => part.startsWith("Options:"))) {
      for (const [option] of line.matchAll(/(?<=^ .*)--[a-z-]+/gm)) {
        expect(section, `${command.join(" ")} ${option}`).toContain(option);
      }
    }
  }
});

test("only a command's own options are under Options", async () => {
  const own: Readonly<Record<string, readonly string[]>> = {
    apply: [
      "--file",
      "--env-prefix",
      "--prune",
      "--max-deletes",
      "--replace",
      "--resend-sender-id",
      "--yes",
    ],
    serve: [
      "--host",
      "--port",
      "--write-env",
      "--admin-port",
      "--admin-host",
      "--drain",
      "--behaviour",
      "--rate-limit",
      "--auto-approve-after",
      "--fault",
    ],
    login: ["--with-key", "--key-command", "--no-check"],
    api: ["--body", "--body-file"],
    export: [],
  };
  for (const [command, options] of Object.entries(own)) {
    expect(await optionsIn("Options:", command)).toStrictEqual(options);
  }
});

async function optionsIn(heading: string, ...command: string[]): Promise<string[]> {
  const section = (await help(...command)).split("\n\n").find((one) => one.startsWith(heading));
  return [...(section ?? "").matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name!);
}

test("the command reference names no command that does not exist", async () => {
  const all = (await commands()).map((command) => command.join(" "));
  const named = [...reference.matchAll(/^## sendctl (.*)/gm)].map(([, words]) => words!);
  expect(named.toSorted()).toEqual(all.toSorted());
});

test("the help of every command describes it and has examples", async () => {
  for (const command of await commands()) {
    const text = await help(...command);
    expect(text, command.join(" ")).toMatch(/^Usage: sendctl /);
    expect(text.split("\n\n")[1]!.length, command.join(" ")).toBeGreaterThan(20);
    expect(text, command.join(" ")).toContain("Examples:\n  $ sendctl ");
  }
});

test("every global option is in the command reference", async () => {
  const { stdout: text } = await runInProcess(["help", "options"], "/nowhere", {});
  const options = [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option!);
  expect(options.length).toBeGreaterThanOrEqual(10);
  for (const option of options) expect(reference).toMatch(new RegExp(`^- \`.*${option}`, "m"));
});
