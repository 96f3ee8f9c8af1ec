import { describe } from "vitest";
import { answering, envelope, group, page } from "../client/sample-responses.ts";
import { runAgainst } from "../client/run-remote.ts";
import { test } from "../support/home.ts";

const names = ["B", "C", "A"];
const records = names.map((name, index) => ({ ...group, id: index + 1, name }));
const list = answering(200, envelope(page(records)));

describe("--query", () => {
  test.for([
    ["max_by(@, &name).name", "C\n"],
    ["min_by(@, &name).name", "A\n"],
    ["[].max_by([@, @], &name).id", "1\n2\n3\n"],
    ["[max_by([?(id < `3`)], &name).id, length(@), max_by(@, &id).name]", "2\n3\nA\n"],
    ["max_by([?name=='max_by()'], &name)", ""],
    ["max_by(@, &name) | {max_by: name}", "max_by  C\n"],
  ])("compares texts, too: %s", async ([query, expected], { expect }) => {
    const ran = await runAgainst(list, ["group", "list", "--query", query!]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: expected });
  });

  test.for(["sort_by(@, &missing)", "max_by(@, &missing)", "sort_by(@, &send_birthday)"])(
    "says what a key must be: %s",
    async (query, { expect }) => {
      const ran = await runAgainst(list, ["group", "list", "--query", query]);
      expect(ran).toMatchObject({ exitCode: 2, stdout: "" });
      expect(ran.stderr).toContain(
        "--query cannot be evaluated: sort_by, max_by and min_by need a number, or a text, in each record",
      );
    },
  );
});
