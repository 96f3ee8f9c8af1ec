import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { keyOf, test } from "../../support/home.ts";

test("a key is not stored in any file", async ({ home, expect }) => {
  const [first, second] = [await keyOf(home, "default"), await keyOf(home, "default")];
  await home.run(["group", "create", "Friends"], first);
  await home.run(["local", "key", "revoke", "2", "--yes"]);
  const folder = dirname(home.database);
  const files = await readdir(folder);
  expect(files).toContain("sendctl.db");
  for (const file of files) {
    const bytes = await readFile(join(folder, file));
    for (const { SENDCTL_SECRET_KEY: secret = "" } of [first, second]) {
      expect(bytes.includes(secret.slice(3, -4))).toBe(false);
      expect(bytes.includes(Buffer.from(secret.slice(3), "base64url"))).toBe(false);
    }
  }
});
