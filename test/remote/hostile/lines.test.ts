import { describe, test } from "vitest";
import { envelope, group, page } from "../sample-responses.ts";
import { runAgainst } from "../run-remote.ts";
import type { Script } from "../scripted-service.ts";

const lines = ["group", "list", "--all", "-o", "id", "--per-page", "10"];

/** Serves groups in pages. @param honoursPage whether the query parameter `page` has an effect */
function service(
  idsAt: (index: number) => readonly number[],
  honoursPage: boolean,
  lastPage?: (page: number) => number,
): Script {
  return ({ target }, { index, respond }) => {
    if (index > 1000) return respond(400, envelope(null, "Too many requests for a test"));
    const query = new URLSearchParams(target.split("?")[1]);
    const [perPage, requested] = [Number(query.get("perPage")), Number(query.get("page") ?? 1)];
    const current = honoursPage ? requested : 1;
    const ids = idsAt(index);
    const shown = ids.slice((current - 1) * perPage, current * perPage);
    const numbers = {
      current_page: current,
      last_page: lastPage?.(requested) ?? Math.ceil(ids.length / perPage),
      per_page: perPage,
      total: ids.length,
    };
    return respond(
      200,
      envelope(
        page(
          shown.map((id) => ({ ...group, id })),
          numbers,
        ),
      ),
    );
  };
}

const forty = Array.from({ length: 40 }, (_, index) => 40 - index);
const text = `${forty.join("\n")}\n`;

/** Serves an endless list: every page is followed by another with new records. */
const endless: Script = ({ target }, served) => {
  const current = Number(new URLSearchParams(target.split("?")[1]).get("page") ?? 1);
  const ids = Array.from({ length: 10 }, (_, nth) => 1e9 - 10 * served.index - nth);
  const numbers = { current_page: current, last_page: current + 1, per_page: 10, total: 1e9 };
  if (served.index > 1000) return served.respond(400, envelope(null));
  return served.respond(
    200,
    envelope(
      page(
        ids.map((id) => ({ ...group, id })),
        numbers,
      ),
    ),
  );
};

describe("a whole list as lines", () => {
  test("is complete if the service ignores the page", async ({ expect }) => {
    const result = await runAgainst(
      service(() => forty, false),
      lines,
    );
    expect(result).toMatchObject({ exitCode: 0, stdout: text, violations: [] });
    expect(result.received.length).toBeLessThanOrEqual(4);
  });

  test("has each record once if one is created meanwhile", async ({ expect }) => {
    const grown = [41, ...forty];
    const result = await runAgainst(
      service((index) => (index === 0 ? forty : grown), true),
      lines,
    );
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    // The new one did not exist at the start.
    expect(result.stdout.trimEnd().split("\n").map(Number)).toStrictEqual(forty);
  });

  test("has the record that moved up a page when another was deleted", async ({ expect }) => {
    const left = forty.filter((id) => id !== 39);
    const result = await runAgainst(
      service((index) => (index === 0 ? forty : left), true),
      lines,
    );
    expect(result).toMatchObject({ exitCode: 0, violations: [] });
    // The deleted one had already been printed.
    expect(result.stdout.trimEnd().split("\n").map(Number)).toStrictEqual(forty);
  });

  test("ends even if the list is endless", async ({ expect }) => {
    const result = await runAgainst(endless, lines);
    expect(result).toMatchObject({ exitCode: 10, violations: [] });
    expect(result.received.length).toBeLessThan(150);
  });
});

test("a record on several lines is one line of jsonl", async ({ expect }) => {
  const text = JSON.stringify(envelope(page([group, group])), null, 2).replaceAll("\n", "\r\n");
  const args = ["group", "list", "-o", "jsonl"];
  const { stdout } = await runAgainst((_, { respond }) => respond(200, text), args);
  const records = stdout
    .split("\n")
    .map((line) => (line === "" ? "" : (JSON.parse(line) as unknown)));
  expect(records).toStrictEqual([group, group, ""]);
});
