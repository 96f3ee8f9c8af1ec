import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readFault } from "../../src/server/faults.ts";
import { operations, type OperationName } from "../../src/contract/operations.ts";
import { SendctlError } from "../../src/core/error.ts";
import { createFaults } from "../../src/server/inject-faults.ts";
import { startService } from "../../src/testing/testing.ts";
import { quickFolder } from "../support/quick-folder.ts";

const names = Object.keys(operations) as OperationName[];

function injectorOf(specifications: readonly string[], elapsed = () => 0) {
  const faults = createFaults(elapsed);
  faults.replace(specifications.map((specification) => readFault(specification)));
  return faults.of("default")!;
}

/** Returns the fault of each request, or "-". */
function faultsFor(specifications: readonly string[], requests: readonly OperationName[]) {
  const faults = injectorOf(specifications);
  return requests.map((name) => faults(name)?.text ?? "-");
}

function times(count: number, name: OperationName): OperationName[] {
  return Array.from({ length: count }, () => name);
}

/** Returns which of a thousand requests a fault applies to, as x and -. */
function applied(specification: string): string {
  const texts = faultsFor([specification], times(1000, "group.list"));
  return texts.map((text) => (text === "-" ? "-" : "x")).join("");
}

test("a fault applies by chance to the same requests in every run", () => {
  const first = applied("group.list:status=503,chance=0.1");
  expect(first).toBe(applied("*:drop=after,chance=0.1,seed=1"));
  expect(first).not.toBe(applied("group.list:status=503,chance=0.1,seed=7"));
  const count = first.replaceAll("-", "").length;
  expect(count).toBeGreaterThan(70);
  expect(count).toBeLessThan(130);
  expect(applied("group.list:status=503,chance=1")).toBe("x".repeat(1000));
});

test("a fault applies in its time, and counts only requests with its fields", () => {
  let now = 5000;
  const faults = injectorOf(["*:drop=after,after=30s,for=10s"], () => now);
  const dueAfter = (seconds: number): boolean => {
    now = 5000 + seconds * 1000;
    return faults("group.list") !== undefined;
  };
  expect([0, 29.9, 30, 39.9, 40, 60].map(dueAfter)).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
  ]);
  const byField = injectorOf(["group.*:status=503,name=Suppliers,send_birthday=true,times=1"]);
  const bodies = [{}, { name: "Suppliers" }, { name: "Suppliers", send_birthday: true }];
  const due = [...bodies, bodies[2]!].map(
    (body) => byField("group.create", () => body)?.text ?? "-",
  );
  expect(due).toEqual([
    "-",
    "-",
    "group.*:status=503,name=Suppliers,send_birthday=true,times=1 (1 of 1)",
    "-",
  ]);
});

function matched(pattern: string): OperationName[] {
  return [...readFault(`${pattern}:status=503`).operations];
}

test("operations are selected one by one, by noun, or all", () => {
  expect(matched("*")).toEqual(names);
  expect(matched("group.*")).toEqual(names.filter((name) => name.startsWith("group.")));
  for (const name of names) expect(matched(name)).toEqual([name]);
});

test("a specification is a fault or a usage error that quotes it", () => {
  const words = "* : = , status 503 drop after times -1 group.list latency 1s".split(" ");
  const part = fc.oneof(fc.constantFrom(...words, " "), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const specification = parts.join("");
      expect(outcomeOf(specification)).toSatisfy(
        (outcome) =>
          outcome === "a fault" || String(outcome).startsWith(`--fault "${specification}": `),
      );
    }),
  );
});

/** Returns "a fault" or the message of the usage error. @throws any other error */
function outcomeOf(specification: string): string {
  try {
    const { operations: those, text } = readFault(specification);
    return those.size > 0 && text !== "" ? "a fault" : "nothing";
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "usage") return error.message;
    throw error;
  }
}

test("a response has the body of a file and further headers", async ({ onTestFinished }) => {
  const file = join(await mkdtemp(join(quickFolder, "sendctl-fault-")), "error.json");
  onTestFinished(() => rm(dirname(file), { recursive: true }));
  await writeFile(file, '{"status":false,"message":"Taken","errors":{"name":["taken"]}}');
  const service = await startService({
    faults: [
      `group.create:status=422,body=@${file},header=X-Trace: a b,header=Content-Type:text/x`,
      `group.list:header=X-Quota:1`,
    ],
  });
  onTestFinished(() => service.close());
  const headers = { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ name: "A" });
  const url = `${service.url}/v1/group`;
  const refused = await fetch(url, { method: "POST", headers, body });
  expect([refused.status, await refused.json()]).toMatchObject([422, { message: "Taken" }]);
  expect(refused.headers.get("x-trace")).toBe("a b");
  expect(refused.headers.get("content-type")).toBe("text/x");
  const list = await fetch(url, { headers });
  expect([list.status, list.headers.get("x-quota")]).toEqual([200, "1"]);
  for (const wrong of [
    "group.list:header=Content-Length:1",
    "group.list:header=No",
    "group.list:header=A:\u00e9",
    "group.list:body=@/nowhere",
    "group.list:body=@",
    "group.list:drop=before,header=A:b",
  ]) {
    expect(() => service.faults([wrong])).toThrow(SendctlError);
  }
  expect(() => readFault("group.list:body=@/etc/hostname")).toThrow("no file is read here");
});
