import { readdir } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Page } from "../../src/contract/service.ts";
import { openEmbedded } from "../../src/engine/embedded.ts";
import { SendctlError } from "../../src/core/error.ts";
import { newKey } from "../server/running-server.ts";
import { newFolder, someTime, thrownBy } from "./support/engine-fixtures.ts";

const open = (file: string) => openEmbedded(file, () => someTime);

test("a key selects its integration, and without a key the default one is used", async () => {
  const { file } = await newFolder();
  const engine = open(file);
  onTestFinished(engine.close);
  await engine.administration.createIntegration("other");
  const [own, other] = [await newKey(engine), await newKey(engine, "other")];
  /** Returns the names of the groups that a key gives access to, and then creates one more. */
  const groupsOf = async (key: string | undefined, name: string): Promise<unknown> => {
    const service = await engine.service(key);
    const { envelope } = await service["group.list"]({ query: {} });
    await service["group.create"]({ body: { name } });
    return (envelope!.data as Page<{ readonly name: string }>).data.map((group) => group.name);
  };
  expect(await groupsOf(undefined, "Own")).toEqual([]);
  expect(await groupsOf(other, "Theirs")).toEqual([]);
  expect(await groupsOf(own, "Own too")).toEqual(["Own"]);
  expect(await groupsOf(undefined, "Last")).toEqual(["Own too", "Own"]);
  expect(await groupsOf(other, "Last")).toEqual(["Theirs"]);
});

test("rejects a key that the database did not issue, without showing it", async () => {
  const { folder, file } = await newFolder();
  const issuing = open(file);
  const issued = await newKey(issuing);
  await issuing.close();
  for (const key of ["sk_unknown", issued.toUpperCase(), `${issued} `, issued.slice(0, -1), ""]) {
    const { service, close } = open(file);
    const error = await thrownBy(() => service(key));
    await close();
    expect(error).toBeInstanceOf(SendctlError);
    expect(error).toMatchObject({
      kind: "auth",
      field: "SENDCTL_SECRET_KEY",
      hint: expect.any(String),
    });
    expect((error as SendctlError).message.split(" ")).not.toContain(key.trim());
    // The database is closed again: an open one has more files.
    expect(await readdir(folder)).toEqual(["sendctl.db"]);
  }
});
