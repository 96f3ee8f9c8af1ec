import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SendctlError } from "../../src/core/error.ts";
import { readManifest, readSources } from "../../src/manifest/read.ts";
import { test } from "../support/home.ts";

const mebibyte = 1024 * 1024;

function noInput(): Promise<Uint8Array> {
  throw new Error("Standard input must not be read");
}

async function read(
  names: readonly string[],
  folder: string,
  readInput: () => Promise<Uint8Array> = noInput,
) {
  const sources = await readSources(names, folder, readInput);
  return sources.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]);
}

async function refusal(names: readonly string[], folder: string): Promise<unknown> {
  try {
    return await readSources(names, folder, noInput);
  } catch (error) {
    if (!(error instanceof SendctlError)) return error;
    return [error.kind, error.message];
  }
}

test("files, folders and standard input are read in the given order", async ({
  home: { folder },
  expect,
}) => {
  await mkdir(join(folder, "all", "inner.yaml"), { recursive: true });
  const others = [".hidden.yaml", "notes.txt", "a.yaml.bak", "m.schema.json"];
  for (const name of ["b.json", "a.yml", "C.yaml", ...others]) {
    await writeFile(join(folder, "all", name), name);
  }
  await writeFile(join(folder, "one"), "1");
  await symlink("../one", join(folder, "all", "z.yaml"));
  const names = ["one", "-", "all", "./one", join(folder, "one")];
  expect(await read(names, folder, async () => Buffer.from("0"))).toStrictEqual([
    ["one", "1"],
    ["<stdin>", "0"],
    ["all/C.yaml", "C.yaml"],
    ["all/a.yml", "a.yml"],
    ["all/b.json", "b.json"],
    ["all/z.yaml", "1"],
  ]);
});

test("reading stops once a file is too large", async ({ home: { folder }, expect }) => {
  await writeFile(join(folder, "big.yaml"), "");
  await truncate(join(folder, "big.yaml"), 50 * mebibyte);
  const sources = await readSources(["big.yaml"], folder, noInput);
  expect(sources[0]!.bytes.length).toBeLessThanOrEqual(9 * mebibyte);
  const message = "the file is larger than 8 MiB; split it into several files";
  expect(readManifest(sources, {})).toStrictEqual({
    diagnostics: [{ file: "big.yaml", line: 1, column: 1, message }],
  });
});

test("files whose total size is too large are rejected", async ({ home: { folder }, expect }) => {
  for (let i = 0; i < 9; i += 1) {
    await writeFile(join(folder, `${i}.yaml`), "");
    await truncate(join(folder, `${i}.yaml`), 8 * mebibyte);
  }
  expect(await refusal(["."], folder)).toStrictEqual([
    "usage",
    "the files are larger than 64 MiB in total",
  ]);
});
