import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import type { Page } from "../../src/contract/service.ts";
import { openEmbedded } from "../../src/engine/embedded.ts";
import { SendctlError } from "../../src/core/error.ts";
import {
  addIntegration,
  newFolder,
  someTime,
  thrownBy,
  withDatabase,
} from "./support/engine-fixtures.ts";

const now = (): number => someTime;

/** Adds a key of an integration, stored as a hash (ruling 23). */
function addKey(file: string, integration: number, key: string): void {
  const hash = createHash("sha256").update(key).digest();
  const sql = `INSERT INTO secret_key (integration_id, hash, ending, created_at) VALUES (?, ?, '', 0)`;
  withDatabase(file, (database) => database.prepare(sql).run(integration, hash));
}

/** Returns the names of the groups that a key gives access to, and then creates one more. */
async function groupsOf(file: string, key: string | undefined, name: string): Promise<unknown> {
  const { service: serviceFor, close } = openEmbedded(file, now);
  try {
    const service = await serviceFor(key);
    const { envelope } = await service["group.list"]({ query: {} });
    await service["group.create"]({ body: { name } });
    return (envelope!.data as Page<{ readonly name: string }>).data.map((group) => group.name);
  } finally {
    await close();
  }
}

test("a key selects its integration, and without a key the default one is used", async () => {
  const { file } = await newFolder();
  expect(await groupsOf(file, undefined, "Own")).toEqual([]);
  addKey(file, addIntegration(file, "other"), "sk_other");
  addKey(file, 1, "sk_own");
  expect(await groupsOf(file, "sk_other", "Theirs")).toEqual([]);
  expect(await groupsOf(file, "sk_own", "Own too")).toEqual(["Own"]);
  expect(await groupsOf(file, undefined, "Last")).toEqual(["Own too", "Own"]);
  expect(await groupsOf(file, "sk_other", "Last")).toEqual(["Theirs"]);
});

for (const key of ["sk_unknown", "sk_Own", "sk_own ", ""]) {
  test(`rejects a key that the database did not issue, without showing it: "${key}"`, async () => {
    const { folder, file } = await newFolder();
    await groupsOf(file, undefined, "Own");
    addKey(file, 1, "sk_own");
    const { service, close } = openEmbedded(file, now);
    const error = await thrownBy(() => service(key));
    await close();
    expect(error).toBeInstanceOf(SendctlError);
    expect(error).toMatchObject({
      kind: "auth",
      setting: "SENDCTL_SECRET_KEY",
      hint: expect.any(String),
    });
    expect((error as SendctlError).message.split(" ")).not.toContain(key.trim());
    // The database is closed again: an open one has more files.
    expect(await readdir(folder)).toEqual(["sendctl.db"]);
  });
}
