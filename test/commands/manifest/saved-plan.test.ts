import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { envelope, page } from "../../client/sample-responses.ts";
import { startService } from "../../client/scripted-service.ts";
import type { Home } from "../../support/home.ts";
import { test } from "../../support/serving.ts";

async function save(home: Home, env = {}): Promise<void> {
  await writeFile(join(home.folder, "m.yaml"), "groups: [{name: New}]");
  const saved = await home.run(["diff", "m.yaml", "--save", "plan.json"], env);
  if (saved.exitCode !== 12) throw new Error(saved.stderr);
}

const applyPlan = (home: Home, env = {}, ...further: string[]) =>
  home.run(["apply", "--plan", "plan.json", "--yes", ...further], env);

/** A manifest with one group. */
const record = (fields: string): string => `{"manifest":{"groups":[{${fields}}]}}`;

/** Returns the fields of a JSON object; undefined for other values, and those that nothing should parse. */
function readable(text: string): object | undefined {
  return text.startsWith("{") && text.length < 1000 ? (JSON.parse(text) as object) : undefined;
}

describe("diff --save", () => {
  test("does not replace a file that another program creates meanwhile", async ({
    home,
    expect,
  }) => {
    const plan = join(home.folder, "plan.json");
    const service = await startService((_, { respond }) => {
      writeFileSync(plan, "theirs");
      respond(200, envelope(page([])));
    });
    await writeFile(join(home.folder, "m.yaml"), "groups: [{name: New}]");
    const env = { SENDCTL_BASE_URL: service.baseUrl, SENDCTL_SECRET_KEY: "sk_of_a_test_1234" };
    const saved = await home.run(["diff", "m.yaml", "--save", "plan.json"], env);
    await service.close();
    expect(saved.exitCode).toBe(2);
    expect(await readFile(plan, "utf8")).toBe("theirs");
  });
});

describe("apply --plan", () => {
  test("refuses another shape with a right checksum, before anything is sent", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { client } = await serveHere();
    await save(home, client);
    const file = join(home.folder, "plan.json");
    const text = await readFile(file, "utf8");
    const content = text.slice(text.indexOf("\n") + 1);
    const plan = JSON.parse(content) as { readonly manifest: object; readonly steps: object[] };
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const changed of [
      "null",
      "[]",
      nested,
      '{"steps":null}',
      '{"steps":{}}',
      '{"steps":[null]}',
      '{"steps":[{"key":1}]}',
      `{"steps":[{"key":"","title":"","values":{"a":${nested}}}]}`,
      '{"manifest":null}',
      '{"manifest":{"groups":{}}}',
      '{"options":{"prune":"yes"}}',
      '{"manifest":{"senderIds":[{"name":"..","purpose":"x"}]}}',
      record('"name":1'),
      record('"name":"x","birthday_message":{"a":1}'),
      record('"name":"x","id":"../1"'),
      record('"name":"x","constructor":"y"'),
    ]) {
      const given = readable(changed);
      const whole = given === undefined ? changed : JSON.stringify({ ...plan, ...given });
      const sum = createHash("sha256").update(whole).digest("hex");
      await writeFile(file, `{"sendctl_plan":1,"sha256":"${sum}"}\n${whole}`);
      const refused = await applyPlan(home, client);
      expect({ changed: changed.slice(0, 80), ...refused }).toMatchObject({
        exitCode: 2,
        stdout: "",
      });
      expect(refused.stderr).toContain("has another shape than a plan");
    }
  });

  test("refuses a damaged plan, and one of another target or version", async ({
    home,
    serveHere,
    expect,
  }) => {
    const { client } = await serveHere();
    await save(home, client);
    const file = join(home.folder, "plan.json");
    const text = await readFile(file, "utf8");
    for (const [content, says] of [
      [text.replace('"New"', '"Newer"'), "is damaged or was edited"],
      [text.slice(0, -3), "is damaged or was edited"],
      [text.replace("\n", "\r\n"), "is damaged or was edited"],
      [text.replace('"sendctl_plan":1', '"sendctl_plan":2'), "is a plan of another version"],
      ['{"groups": []}', "is not a plan of sendctl"],
      ["", "is not a plan of sendctl"],
    ] as const) {
      await writeFile(file, content);
      const refused = await applyPlan(home, client);
      expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
      expect(refused.stderr).toContain(says);
    }
    await writeFile(file, text);
    const elsewhere = await applyPlan(home);
    expect(elsewhere.exitCode).toBe(2);
    expect(elsewhere.stderr).toContain(`is a plan for ${client["SENDCTL_BASE_URL"]}, not`);
    const sameUrl = { ...client, SENDCTL_BASE_URL: `${client["SENDCTL_BASE_URL"]}/` };
    expect((await applyPlan(home, sameUrl, "--dry-run")).exitCode).toBe(0);
    for (const encoding of ["utf8", "utf16le"] as const) {
      await writeFile(file, `\ufeff${text}`, encoding);
      expect((await applyPlan(home, sameUrl, "--dry-run")).exitCode).toBe(0);
    }
  });
});
