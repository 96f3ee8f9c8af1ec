import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { canMount, newDisk } from "../support/new-disk.ts";

const program = join(import.meta.dirname, "../../bench/stress/full-disk.mjs");

test.skipIf(!canMount)(
  "loses nothing when the disk fills up, and writes again once there is space (skipped if no tmpfs can be mounted)",
  { timeout: 120_000 },
  async () => {
    const [unshare, ...options] = newDisk.split(" ");
    const words = [...options, process.execPath, program, "--rounds", "1"];
    const { exitCode, stdout, stderr } = await execa(unshare!, words, { reject: false });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^1 times full: [1-9]\d* writes acknowledged, 0 lost; [1-9]\d* refused/);
  },
);
