import { copyFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { openOverSocket } from "../../contract/transports.ts";
import { test } from "../../support/home.ts";

/** Of a program that uses the client: strict, and for Node. */
const compilerOptions = {
  target: "es2023",
  lib: ["es2024", "dom"],
  module: "nodenext",
  strict: true,
  noUncheckedIndexedAccess: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
};

test("a client generated from the document compiles, and runs the nine operations", async ({
  home,
  expect,
}) => {
  const at = (file: string): string => join(home.folder, file);
  const { stdout } = await home.run(["schema", "openapi"]);
  await writeFile(at("openapi.json"), stdout);
  await writeFile(at("package.json"), '{ "type": "module" }');
  await writeFile(at("tsconfig.json"), JSON.stringify({ compilerOptions }));
  await copyFile(join(import.meta.dirname, "client/operations.ts"), at("operations.ts"));
  await symlink(resolve("node_modules"), at("node_modules"));
  await execa("oazapfts", [at("openapi.json"), at("client.ts")], { preferLocal: true });
  await execa("tsc", ["--project", home.folder], { preferLocal: true });
  const { runOperations } = (await import(at("operations.js"))) as {
    runOperations: (baseUrl: string, key: string) => Promise<Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any
  };

  const { baseUrl, keys, close } = await openOverSocket();
  const result = await runOperations(baseUrl, keys.owner).finally(close);
  const senderId = result["senderId"].data.data;
  expect(senderId).toMatchObject({ name: "ACME", purpose: "Order updates", status: "PENDING" });
  expect(result["senderIds"].data.data.data).toEqual([senderId]);
  expect(result["fetchedSenderId"].data.data).toEqual(senderId);
  const updated = { ...result["group"].data.data, send_holiday: true };
  expect(updated).toMatchObject({ name: "Customers", send_birthday: false });
  expect(result["updatedGroup"].data.data).toEqual(updated);
  expect(result["fetchedGroup"].data.data).toEqual(updated);
  expect(result["groups"].data.data.data).toEqual([{ ...updated, contacts_count: 0 }]);
  expect(result["deleted"]).toMatchObject([
    { status: true, message: "Group deleted", data: null },
    { status: true, message: "Sender deleted", data: null },
    { status: false, message: "Sender ID not found: ACME" },
  ]);
  expect(Object.keys(result["errors"])).toEqual(["name"]);
});
