import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "vitest";
import { test } from "../../support/serving.ts";

/** Groups with fields that a create sets and fields that only an update sets. */
const groups = Array.from({ length: 300 }, (_, index) => ({
  name: `Group ${index}`,
  send_birthday: index % 2 === 0,
  ...(index % 3 === 0 ? { send_holiday: true } : {}),
  ...(index % 5 === 0 ? { sender_id: "ACME" } : {}),
}));
const manifest = { sender_ids: [{ name: "ACME", purpose: "Orders" }], groups };

describe("apply over HTTP", () => {
  test("continues after reaching the rate limit", async ({ home, serveHere, expect }) => {
    const server = await serveHere(["--rate-limit", "40"]);
    const fewer = JSON.stringify({ ...manifest, groups: groups.slice(0, 60) });
    await writeFile(join(home.folder, "m.json"), fewer);
    const args = ["apply", "-f", "m.json", "--yes", "--json"];
    const { exitCode, stdout } = await home.run(args, server.client);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: true, data: { failed: 0 } });
  });
});
