import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readAddress } from "../../../src/engine/postgres/connection/address.ts";
import { test } from "../../support/home.ts";

const url = "postgres://h/main";
const line = "h:5432:main:anna:ofFile\n";

test("on Windows, the user and the password are found where PostgreSQL's own programs look", async ({
  home: { folder },
  expect,
}) => {
  const file = join(folder, "postgresql", "pgpass.conf");
  await mkdir(dirname(file));
  await writeFile(file, line);
  // Node reports this mode for every file there.
  await chmod(file, 0o666);
  const env = { USERNAME: "anna", APPDATA: folder };
  const runtime = { env, home: "/nowhere", folder, system: "win32" } as const;
  expect(readAddress(url, runtime)).toMatchObject({ user: "anna", password: "ofFile" });
});
