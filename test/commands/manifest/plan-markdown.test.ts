import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { describe } from "vitest";
import { planMarkdown, type PlanData } from "../../../src/commands/manifest/report.ts";
import { safeText, visibleText } from "../../../src/core/text.ts";
import { test } from "../../support/home.ts";
import { anyCharacter } from "../../support/any-character.ts";

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
      string({ unit: anyCharacter }),
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
});
