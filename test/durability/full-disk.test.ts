import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "../../bench/stress/full-disk.mjs");

// A separate disk, which Linux lets any user mount where user namespaces are allowed.
const newDisk = ["--user", "--map-root-user", "--mount"];
const tried = spawnSync("unshare", [...newDisk, "mount", "-t", "tmpfs", "none", tmpdir()]);
const canMount = tried.status === 0;

test.skipIf(!canMount)(
  "loses nothing when the disk fills up, and writes again once there is space (skipped if no tmpfs can be mounted)",
  { timeout: 120_000 },
  async () => {
    const words = [...newDisk, process.execPath, program];
    const { exitCode, stdout, stderr } = await execa("unshare", words, { reject: false });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^3 times full: [1-9]\d* writes acknowledged, 0 lost; [1-9]\d* refused/);
  },
);
