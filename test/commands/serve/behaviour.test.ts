import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { type Home } from "../../support/home.ts";
import { test } from "../../support/serving.ts";

// Tests start processes, which can be slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

async function behaviourFile(home: Home, text: string): Promise<string> {
  await writeFile(join(home.folder, "behaviour.yaml"), text);
  return "behaviour.yaml";
}

test("local run follows a behaviour file", async ({ home, expect }) => {
  const file = await behaviourFile(home, "create_status: 202\n");
  const script = `fetch(process.env.SENDCTL_BASE_URL + "/v1/group", {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: "Bearer " + process.env.SENDCTL_SECRET_KEY,
    },
    body: JSON.stringify({ name: "Friends" }),
  }).then(({ status }) => console.log(status))`;
  const args = ["local", "run", "--behaviour", file, "--", "node", "-e", script];
  const { exitCode, stdout, stderr } = await home.spawn(args);
  expect([exitCode, stdout]).toEqual([0, "202\n"]);
  expect(stderr).toContain("Behaviour of behaviour.yaml: 1 switch differs");
});
