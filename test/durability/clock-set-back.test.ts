import { writeFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createProgress, createStatusLine } from "../../src/output/status/progress.ts";
import { withLock } from "../../src/core/lock.ts";
import { newFolder } from "../engine/support/engine-fixtures.ts";
import { send, startRunning } from "../server/running-server.ts";
import { inTime } from "../support/waiting.ts";

/** In milliseconds. */
const day = 24 * 60 * 60 * 1000;

describe("when the clock is set back by a day", () => {
  test("created_at and ids still increase", async () => {
    let ahead = day;
    const running = await startRunning({ now: () => (Date.now() + ahead) * 1000 });
    const moments: string[] = [];
    for (const clock of [day, 0, -day, day]) {
      ahead = clock;
      for (const name of ["One", "Two"]) {
        const { status, text } = await send(running, "POST", "/v1/group", { body: { name } });
        expect(status).toBe(201);
        moments.push((JSON.parse(text) as { data: { created_at: string } }).data.created_at);
      }
    }
    expect(moments).toEqual([...new Set(moments)].toSorted());
  });

  test("the rate limit is unaffected", async () => {
    let elapsed = 0;
    let now = day;
    const running = await startRunning({
      rateLimit: 2,
      now: () => now * 1000,
      elapsed: () => elapsed,
    });
    const status = async () => (await send(running, "GET", "/v1/group")).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    now = 0;
    expect(await status()).toBe(429);
    elapsed += 500;
    expect([await status(), await status()]).toEqual([200, 429]);
    now = 2 * day;
    expect(await status()).toBe(429);
  });

  test("a lock file dated in the future does not last forever", async () => {
    const { folder } = await newFolder();
    const lock = join(folder, "config.json.lock");
    writeFileSync(lock, "");
    const tomorrow = new Date(Date.now() + day);
    await utimes(lock, tomorrow, tomorrow);
    let waits = 0;
    const wait = async () => {
      waits += 1;
      await setImmediate();
    };
    expect(
      await inTime(
        "the lock",
        withLock(lock, () => "done", wait),
      ),
    ).toBe("done");
    expect(waits).toBeLessThanOrEqual(2);
  });

  test("progress is still shown", async () => {
    let elapsed = 0;
    const shown: string[] = [];
    const line = createStatusLine(async (text) => void shown.push(text));
    const progress = createProgress(line, () => elapsed);
    elapsed = 2000;
    await progress.update("half");
    expect(shown.join("")).toContain("half");
  });
});
