import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEmbedded } from "../../../src/engine/embedded.ts";
import { newFolder } from "../support/engine-fixtures.ts";

test("no file of a database contains a key that it issued", async () => {
  const { folder, file } = await newFolder();
  const engine = openEmbedded(file, () => Date.now() * 1000);
  const created = await engine.administration.createKey("default");
  const { secret_key: key } = created.envelope!.data as { readonly secret_key: string };
  expect(key).toMatch(/^sk_[\w-]{43}$/);
  const contents = async (): Promise<Buffer> =>
    Buffer.concat(
      await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))),
    );
  const open = await contents();
  await engine.close();
  for (const bytes of [open, await contents()]) {
    expect(bytes.includes("default")).toBe(true);
    for (const part of [key, key.slice(3)]) expect(bytes.includes(part)).toBe(false);
    expect(bytes.includes(Buffer.from(key.slice(3), "base64url"))).toBe(false);
  }
});
