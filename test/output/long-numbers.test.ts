import { describe } from "vitest";
import { answering, envelope, group, page } from "../client/sample-responses.ts";
import { runAgainst } from "../client/run-remote.ts";
import type { Script } from "../client/scripted-service.ts";
import { test } from "../support/home.ts";

const ids = ["9007199254740993", "9007199254740992", "9007199254740995", "12345678901234567890"];
const text = JSON.stringify(
  envelope(page([...ids, "7"].map((id) => ({ ...group, id: `#${id}#`, name: `N${id}` })))),
).replaceAll(/"#(\d+)#"/g, "$1");

describe("--query takes ids beyond 2^53 as texts", () => {
  test.for([
    ["[?id=='9007199254740993'].name", "N9007199254740993\n"],
    ["[?id < `10`].id", "7\n"],
  ] as const)("%s", async ([query, expected], { expect }) => {
    const ran = await runAgainst(answering(200, text), [
      "group",
      "list",
      "--all",
      "--query",
      query,
    ]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: expected, violations: [] });
  });
});

describe("-o id", () => {
  test.for(["null", "1e400", '""', "1.5", "true"])("is exit 10 for %s", async (id, { expect }) => {
    const odd = JSON.stringify(envelope(page([{ ...group, id: "#" }]))).replace('"#"', id);
    const ran = await runAgainst(answering(200, odd), ["group", "list", "-o", "id"]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 10, stdout: "", violations: [] });
    expect(ran.stderr).toContain("without a valid id");
  });
});

describe("a list whose total is 0", () => {
  const full = page([group, { ...group, id: 13 }], { total: 0, per_page: 2 });

  test("may have more than a full page", async ({ expect }) => {
    const ran = await runAgainst(answering(200, envelope(full)), ["group", "list"]);
    expect(ran).toMatchObject({ exitCode: 0, violations: [] });
    expect(ran.stderr).toContain("2 of at least 3 records");
  });

  test("is read to its end, whatever its last page is", async ({ expect }) => {
    const ids = [7, 6, 5, 4, 3, 2, 1];
    const script: Script = ({ target }, { respond }) => {
      const number = Number(new URL(target, "http://host").searchParams.get("page") ?? 1);
      const shown = ids.slice((number - 1) * 2, number * 2).map((id) => ({ ...group, id }));
      respond(200, envelope(page(shown, { total: 0, per_page: 2, current_page: number })));
    };
    const ran = await runAgainst(script, ["group", "list", "--all", "-o", "id"]);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0, stdout: `${ids.join("\n")}\n` });
  });

  test("has no more than a page that is not full", async ({ expect }) => {
    const part = page([group], { total: 0, per_page: 2 });
    const ran = await runAgainst(answering(200, envelope(part)), ["group", "list"]);
    expect(ran).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

test.for(["PUT", "PATCH", "DELETE", "POST"])(
  "api %s is not confirmed by a page of HTML",
  async (method, { expect }) => {
    const ran = await runAgainst(answering(200, "<html>Log in</html>"), [
      "api",
      method,
      "/v1/group/12",
    ]);
    expect(ran).toMatchObject({ exitCode: 9, violations: [] });
  },
);
