import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { root, textOf } from "./markdown.ts";

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string };
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

const folder = ".github/ISSUE_TEMPLATE";
const asked = "sendctl doctor --json";

const forms = readdirSync(join(root, folder)).filter((name) => name !== "config.yml");

describe.each(forms)("the issue form %s", (name) => {
  const { name: title, description, body } = parse(textOf(`${folder}/${name}`)) as Form;

  test("is one that GitHub accepts", () => {
    expect([title, description].every((text) => text.length > 2)).toBe(true);
    const inputs = body.filter(({ type }) => type !== "markdown");
    const ids = inputs.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, id, attributes } of body) {
      expect(["markdown", "textarea", "input", "dropdown", "checkboxes"]).toContain(type);
      const needed = type === "markdown" ? [attributes.value] : [id, attributes.label];
      expect(needed.every(Boolean)).toBe(true);
    }
  });

  test(`asks for ${asked}`, () => {
    expect(body.some(({ attributes }) => attributes.label === asked)).toBe(true);
  });
});

test(`the template of pull requests asks for ${asked}`, () => {
  expect(forms.length).toBeGreaterThan(1);
  expect(textOf(".github/pull_request_template.md")).toContain(`\`${asked}\``);
});
