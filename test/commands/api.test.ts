import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../support/serving.ts";

describe.concurrent("the body of api", () => {
  test("is rejected over 16 MiB without reading all of it", async ({ home, expect }) => {
    const large = join(home.folder, "large.json");
    await writeFile(large, "");
    await truncate(large, 2 ** 33);
    const args = ["api", "POST", "/v1/group", "--body-file", "large.json", "--json"];
    const file = await home.run(args);
    const input = await home.shell("head -c 17000000 large.json | sendctl api POST /v1/group -");
    for (const outcome of [file, input]) expect(outcome.exitCode).toBe(2);
    expect(JSON.parse(file.stdout)).toMatchObject({ error: { kind: "usage" } });
  });
});
