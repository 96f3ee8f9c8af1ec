import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { exitCodes } from "../../../src/output/exit-codes.ts";
import { topics } from "../../../src/cli/program/topics.ts";
import { topicTexts } from "../../../src/cli/help/topic-texts.ts";
import { printed, test } from "../../support/home.ts";

const readme = readFileSync(join(import.meta.dirname, "../../../README.md"), "utf8");

/** Returns the terms that a topic explains. */
function termsOf(name: keyof typeof topicTexts): string[] {
  return topicTexts[name].flatMap((block) =>
    typeof block === "string" ? [] : block.flatMap(([term]) => term.split(", ")),
  );
}

describe.concurrent("a topic", () => {
  for (const { name, summary } of topics) {
    test(`${name} is listed and shown`, async ({ home, expect }) => {
      const { stdout: help } = await home.run(["--help"]);
      expect(help.split("\nTopics:\n")[1]).toMatch(new RegExp(`^ {2}${name} +${summary}$`, "m"));
      const { exitCode, stdout, stderr } = await home.run(["help", name]);
      expect({ exitCode, stderr }).toStrictEqual({ exitCode: 0, stderr: "" });
      for (const term of termsOf(name)) expect(stdout).toContain(term);
      expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(80);
      expect(await home.run(["help", name, "--json"])).toStrictEqual({
        exitCode: 0,
        stdout: printed({ status: true, message: "Help", data: { help: stdout } }),
        stderr: "",
      });
    });
  }

  test("is not a command and has no subcommands", async ({ home, expect }) => {
    expect((await home.run(["exit-codes"])).exitCode).toBe(2);
    expect((await home.run(["help", "exit-codes", "group"])).exitCode).toBe(2);
  });
});

describe("the README", () => {
  test("has every exit code, format and variable of the topics", ({ expect }) => {
    const table = readme.split("## Exit codes")[1]!.split("\n## ")[0]!;
    const codes = [...table.matchAll(/^\| ([\d, ]+?) *\|/gm)].flatMap(([, cell]) =>
      cell!.split(", "),
    );
    expect(codes).toStrictEqual(Object.values(exitCodes).map(String));
    for (const variable of termsOf("environment")) expect(readme).toContain(`\`${variable}\``);
    for (const format of termsOf("output")) expect(readme).toContain(`**${format}**`);
  });
});
