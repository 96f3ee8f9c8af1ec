import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { describe } from "vitest";
import { planMarkdown, type PlanData } from "../../../src/commands/manifest/report.ts";
import { code } from "../../../src/output/formats/markdown.ts";
import { safeText, visibleText } from "../../../src/core/text.ts";
import { writeConfig } from "../../support/config-file.ts";
import { test } from "../../support/home.ts";

const value = /<code>(.*?)<\/code>/g;

/** Returns the text that Markdown shows for the content of a value. */
function decoded(content: string): string {
  return content
    .replaceAll("<!-- -->", "")
    .replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)));
}

/** Returns a plan with a text wherever one may come from outside. */
function planWith(text: string): PlanData {
  const step = { kind: "group", name: text, id: text, uuid: "", place: undefined } as const;
  const other = { contacts_count: undefined, status: undefined, stored_differently: undefined };
  const none = { ...other, blocked: undefined };
  const changes = [{ field: "birthday_message", from: text, to: text }];
  const sender_id = { to: text, can_be_compared: false, is_sent: true } as const;
  return {
    steps: [
      { ...step, ...none, action: "create", changes, sender_id, loses: undefined },
      { ...step, ...none, action: "update", changes, sender_id, loses: undefined, message: text },
      {
        ...step,
        ...none,
        action: "replace",
        changes: [],
        sender_id: undefined,
        loses: text,
        blocked: text,
      },
      { ...step, ...none, action: "delete", changes: [], sender_id: undefined, loses: undefined },
    ],
    warnings: [text],
  };
}

const markdownOf = (text: string): string =>
  [...planMarkdown("1 to create", planWith(text), text)].join("");

describe("a plan as Markdown", () => {
  test("shows a text as it is, and nothing in it has a meaning", ({ expect }) => {
    const nasty = [
      "|",
      "\n",
      "\r\n",
      "`",
      "@octocat",
      "![i](http://x.example/i.png)",
      "<img src=x>",
    ];
    const addresses = [
      "www.example.com",
      "https://x.example",
      "me@x.example",
      "#1",
      "</code>",
      "\\",
    ];
    const text = oneof(
      string({ unit: "binary" }),
      array(constantFrom(...nasty, ...addresses, " ", "a")).map((parts) => parts.join("")),
    );
    const skeleton = markdownOf("x").replace(value, "");
    assert(
      property(text, (given) => {
        const markdown = markdownOf(given);
        expect(markdown.replace(value, "")).toBe(skeleton);
        for (const [, content] of markdown.matchAll(value)) {
          // Letters, digits, spaces and other characters than ASCII, and entities.
          expect(content).toMatch(/^(?:[^!-/:-@[-`{-~\p{Cc}]|&#\d+;|<!-- -->)*$/u);
          // A text that is not divided would be a link: GitHub looks for addresses after it decodes entities.
          const parts = content!.split("<!-- -->").map(decoded);
          for (const part of parts) expect(part).not.toMatch(/.[:@]|www\./i);
          expect([safeText(given), visibleText(JSON.stringify(given))]).toContain(parts.join(""));
        }
      }),
    );
  });

  test("is a summary, a table and warnings", async ({ home, expect }) => {
    const files = {
      "before.yaml": `sender_ids: [{name: ACME, purpose: Orders}]
groups: [{name: Customers, birthday_message: Hi}, {name: Old}, {name: Kept, sender_id: ACME}]`,
      "m.yaml": `sender_ids: [{name: ACME, purpose: Order updates}]
groups:
  - {name: Customers, birthday_message: "Hi {name} | @octocat"}
  - {name: Kept, sender_id: ACME}
  - {name: New}`,
    };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(home.folder, name), text);
    }
    await home.run(["apply", "before.yaml", "--yes"]);
    await home.run(["local", "contact", "add", "Old", "+4915112345678"]);
    const head = "| Change | Record | Field | Before → after |\n| - | - | - | - |\n";
    const { exitCode, stdout } = await home.run(["diff", "m.yaml", "--prune", "-o", "markdown"]);
    const target = code(`the database ${home.database}`);
    const expected = [
      `Target: ${target}\n\n`,
      "1 to create, 1 to update, 1 to delete, 1 unchanged, 1 must be replaced · 1 sender ID not compared (the service never shows it)\n\n",
      head,
      "| replace: <code>needs &#45;&#45;replace</code> | sender ID <code>ACME</code> | purpose | <code>&#34;Orders&#34;</code> → <code>&#34;Order updates&#34;</code> |\n",
      "| | | warning | <code>Its approval status is reset&#44; and the groups that use it lose their sender ID&#44; except for those in the manifest&#46; Current status<!-- -->&#58; PENDING&#46;</code> |\n",
      "| update | group <code>Customers</code> (id <code>1</code>) | birthday_message | <code>&#34;Hi&#34;</code> → <code>&#34;Hi &#123;name&#125; &#124; <!-- -->&#64;octocat&#34;</code> |\n",
      "| create | group <code>New</code> | | |\n",
      "| delete | group <code>Old</code> (id <code>2</code>) | contacts_count | <code>1</code> (deleted with the group) |\n",
      "\nWarnings:\n\n",
      "- <code>group Old &#40;id 2&#41; and its contact would be deleted and group New created&#59; to rename a group and keep its contacts&#44; write its id beside the new name</code>\n",
      "- <code>group Customers &#40;id 1&#41;<!-- -->&#58; unknown placeholder &#123;name&#125;&#59; did you mean &#123;first&#95;name&#125;&#63;</code>\n",
    ];
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 12, stdout: expected.join("") });
    const { stdout: outcome } = await home.run(["apply", "m.yaml", "--yes", "-o", "markdown"]);
    expect(outcome).toContain(`Applied 2 of 3 · 1 created, 1 updated, 1 unchanged · 1 sender ID`);
    expect(outcome).toContain("| update | group <code>Customers</code> (id <code>1</code>)");
    expect(outcome).toContain("| replace not tried: <code>needs &#45;&#45;replace</code> | ");
  });

  test("names the profile", async ({ home, expect }) => {
    const database = join(home.folder, "p.db");
    await writeConfig(home, { profiles: { staging: { mode: "local", database } } });
    await writeFile(join(home.folder, "m.json"), '{"groups":[{"name":"A"}]}');
    const args = ["diff", "m.json", "-o", "markdown", "--profile", "staging"];
    const { stdout } = await home.run(args);
    const title = `Target: ${code(`the database ${database} (profile staging)`)}\n\n`;
    expect(stdout.startsWith(`${title}1 to create\n`)).toBe(true);
  });

  test("has no query", async ({ home, expect }) => {
    const query = await home.run(["diff", "m.yaml", "-o", "markdown", "--query", "steps"]);
    expect(query.stderr).toContain("--query does not apply to the output format markdown");
  });
});
