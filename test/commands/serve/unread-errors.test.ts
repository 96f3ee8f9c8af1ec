import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, vi } from "vitest";
import { launcher, test } from "../../support/home.ts";
import { inTime } from "../../support/waiting.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("serve with an unread standard error", () => {
  test("keeps responding, and ends after a signal", async ({ home, expect }) => {
    const child = spawn(process.execPath, [launcher, "serve", "--port", "0"], {
      cwd: home.folder,
      env: home.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const address = /SENDCTL_BASE_URL=(\S+)/.exec(line)![1]!;
    // More than a pipe buffers: each request logs a line that contains its path.
    const long = "x".repeat(2000);
    for (let count = 0; count < 1500; count += 1) {
      const response = await fetch(`${address}/${long}`);
      expect(response.status).toBe(404);
      await response.arrayBuffer();
    }
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await inTime("serve ends", ended)).toStrictEqual([0, null]);
  });
});
