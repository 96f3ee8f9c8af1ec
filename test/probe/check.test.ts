import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ownBehaviour } from "../../src/contract/behaviour.ts";
import { runProbe } from "./run-probe.ts";
import { servedBehaviour } from "./served-behaviour.ts";

/** Probes a server that refuses unknown fields, with a behaviour file to compare with. */
async function check(file: string, ...options: readonly string[]) {
  const served = await servedBehaviour({ ...ownBehaviour, unknown_fields: "refused" });
  onTestFinished(served.close);
  const folder = mkdtempSync(join(tmpdir(), "sendctl-check-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const name = join(folder, "service.yaml");
  writeFileSync(name, file);
  const { baseUrl, key } = served;
  const ran = await runProbe(["probe", "--check", name, "--json", ...options], { baseUrl, key });
  const data = ran.data as { differences?: unknown } | undefined;
  return { ...ran, name, differences: data?.differences };
}

const withScratch = ["--scratch-group", "--yes"];

test("probe --check exits with 0 if every switch that was observed is as in the file", async () => {
  const same = await check("unknown_fields: refused\npage_parameter: honoured\n", ...withScratch);
  expect([same.exitCode, same.differences]).toEqual([0, []]);
  expect(same.stderr).toContain(`No switch differs from ${same.name}`);
});

test("probe --check exits with 12 and names the switches that differ", async () => {
  const ran = await check("unknown_fields: ignored\ncreate_status: 201\n", ...withScratch);
  expect(ran.exitCode).toBe(12);
  expect(ran.differences).toEqual([
    { switch: "unknown_fields", expected: "ignored", observed: "refused" },
  ]);
  expect(ran.stderr).toContain(`unknown_fields is refused; ${ran.name} says ignored`);
  expect(ran.stderr).toContain(`1 switch differs from ${ran.name}`);
});

test("a switch that the probe cannot observe is no difference", async () => {
  const ran = await check("unknown_fields: ignored\n");
  expect([ran.exitCode, ran.differences]).toEqual([0, []]);
});

test.each([
  ["unknown_field: ignored\n", [], "unknown_field"],
  ["unknown_fields: ignored\n", ["--clean"], "--check"],
])("probe --check with the file %j and %j exits with 2", async (file, options, message) => {
  const ran = await check(file, ...options);
  expect([ran.exitCode, ran.error?.kind]).toEqual([2, "usage"]);
  expect(ran.stderr).toContain(message);
});
