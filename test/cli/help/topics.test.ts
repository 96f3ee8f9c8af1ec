import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { exitCodes } from "../../../src/output/exit-codes.ts";
import { topics } from "../../../src/cli/registry.ts";
import { topicTexts } from "../../../src/cli/help/topic-texts.ts";
import { printed, test } from "../../support/home.ts";

const docs = join(import.meta.dirname, "../../../docs");

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

describe("the documentation", () => {
  test("has every exit code, variable and format of the topics", ({ expect }) => {
    const reference = readFileSync(join(docs, "reference.md"), "utf8");
    const section = reference.split("## Exit codes")[1]!.split("\n## ")[0]!;
    const codes = [...section.matchAll(/^- `(\d+)`: \S/gm)].map(([, code]) => code);
    expect(codes).toStrictEqual(Object.values(exitCodes).map(String));
    for (const variable of termsOf("environment")) expect(reference).toContain(`\`${variable}\``);
    const output = readFileSync(join(docs, "output.md"), "utf8");
    for (const format of termsOf("output")) expect(output).toContain(`- **${format}**`);
  });
});
