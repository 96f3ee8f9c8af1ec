import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "../../bench/stress/kill.mjs");

test("SIGKILL under load loses no acknowledged write", { timeout: 120_000 }, async () => {
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [program, "--rounds", "4", "--seed", "3"],
    { reject: false },
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const [, acknowledged] = /^4 rounds .*: (\d+) writes acknowledged, 0 lost;/.exec(stdout) ?? [];
  expect(Number(acknowledged)).toBeGreaterThan(0);
});
