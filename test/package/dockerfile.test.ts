import { readFileSync } from "node:fs";
import { execa } from "execa";
import { describe } from "vitest";
import { test } from "../support/serving.ts";

const text = readFileSync("Dockerfile", "utf8");

/** The instructions that Docker knows, of those that it uses; a misspelt one would only fail when it is built. */
const instruction =
  /^(?:FROM|COPY|RUN|USER|ENV|VOLUME|ENTRYPOINT|CMD|EXPOSE \d+$|HEALTHCHECK(?: --(?:interval|timeout|start-period)=\d+s)+ +CMD) ?/;

/** Returns the JSON form of an instruction that runs a program. */
function programOf(instruction: string): readonly string[] {
  const found = new RegExp(`^${instruction} (?:.*\\\\\\n +CMD )?(\\[.*\\])$`, "m").exec(text);
  return JSON.parse(found![1]!) as readonly string[];
}

describe("the Dockerfile", () => {
  test("has only instructions that Docker knows", ({ expect }) => {
    const lines = text.replaceAll("\\\n", "").split("\n").slice(1, -1);
    expect(lines.filter((line) => !instruction.test(line))).toStrictEqual([]);
  });

  test("does not run as root", ({ expect }) => {
    const user = text.indexOf("\nUSER node\n");
    expect(user).toBeGreaterThan(0);
    expect(user).toBeLessThan(text.indexOf("\nENTRYPOINT "));
  });

  test("serves the database of its volume, and checks its health", async ({
    home,
    serve,
    expect,
  }) => {
    expect(programOf("ENTRYPOINT")).toStrictEqual(["sendctl"]);
    const [command, ...args] = programOf("CMD");
    expect(command).toBe("serve");
    const { port, stop } = await serve([...args, "--port", "0"]);
    const [node, ...check] = programOf("HEALTHCHECK");
    expect(node).toBe("node");
    expect(check.join(" ")).toContain(":4010/healthz");
    const healthOf = async (): Promise<number | undefined> => {
      const words = check.map((word) => word.replace("4010", String(port)));
      const { exitCode } = await execa(process.execPath, words, {
        cwd: home.folder,
        reject: false,
      });
      return exitCode;
    };
    expect(await healthOf()).toBe(0);
    await stop();
    expect(await healthOf()).toBe(1);
  });
});
