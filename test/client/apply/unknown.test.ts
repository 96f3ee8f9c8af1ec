import { describe } from "vitest";
import { test } from "../../support/home.ts";
import { answering, group } from "../sample-responses.ts";
import { applyManifest, serveRecords } from "./apply-remote.ts";
import type { Script } from "../scripted-service.ts";

interface Printed {
  readonly data: {
    readonly applied: number;
    readonly failed: number;
    readonly outcome_unknown: number;
    readonly steps: readonly { readonly name: string; readonly outcome_unknown?: true }[];
  };
  readonly error: { readonly kind: string; readonly hint: string };
}

const lose: Script = (_, { hangUp }) => hangUp();

const supplier = { ...group, id: 2, name: "Suppliers" };
const customer = { ...group, id: 3, name: "Customers" };

describe("a step of unknown outcome", () => {
  const apply = ["apply", "--prune", "--yes", "--retries", "0"];
  const deletes = { manifest: { groups: [] }, groups: [supplier, customer] };
  const creates = { manifest: { groups: [{ name: "New" }] }, groups: [] };
  const cases = [
    ["delete", deletes, /^hint: sendctl group fetch (?:2 3|3 2) --base-url http/m, 2],
    ["create", creates, /^hint: sendctl group list --name New --base-url http/m, 1],
  ] as const;

  test.for(cases)("is not reported as not done: %s", async (given, { home, expect }) => {
    const [action, { manifest, groups }, hint, count] = given;
    const script = serveRecords({ groups }, lose);
    const { exitCode, stderr } = await applyManifest(home, manifest, script, apply);
    expect(exitCode).toBe(9);
    expect(stderr).toContain(`Outcome unknown: ${action} group `);
    expect(stderr).not.toContain("Could not");
    expect(stderr).toMatch(hint);
    expect(stderr).toContain(`${count} of unknown outcome`);
    const printed = await applyManifest(home, manifest, script, [...apply, "--json"]);
    const { data, error } = JSON.parse(printed.stdout) as Printed;
    expect(data).toMatchObject({ applied: 0, failed: count, outcome_unknown: count });
    expect(data.steps.map(({ outcome_unknown }) => outcome_unknown)).toStrictEqual(
      groups.length === 0 ? [true] : [true, true],
    );
    expect(error.kind).toBe("outcome_unknown");
  });

  test("is not one that the service refused", async ({ home, expect }) => {
    const script = serveRecords(
      { groups: deletes.groups },
      answering(409, { status: false, message: "In use", data: null }),
    );
    const result = await applyManifest(home, deletes.manifest, script, [...apply, "--json"]);
    const { data } = JSON.parse(result.stdout) as Printed;
    expect(data).toMatchObject({ failed: 2, outcome_unknown: 0 });
  });

  const found = { ...group, id: 99, name: "New", send_birthday: false };
  const lookups = [
    ["one new record", [found], 0],
    ["no new record", [], 9],
    ["two new records", [found, { ...found, id: 98 }], 9],
  ] as const;
  test.for(lookups)("goes on with %s", async ([, after, code], { home, expect }) => {
    let creates = 0;
    const manifest = { groups: [{ name: "New" }] };
    const script: Script = (received, conversation) => {
      if (received.method === "POST") creates += 1;
      serveRecords({ groups: creates === 0 ? [] : after }, lose)(received, conversation);
    };
    const result = await applyManifest(home, manifest, script, [
      "apply",
      "--yes",
      "--retries",
      "0",
    ]);
    expect(result).toMatchObject({ exitCode: code, violations: [] });
    if (code === 0) expect(result.stderr).toMatch(/"New" was lost; found it \(id 99\)/);
  });
});
