import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { execa } from "execa";
import { expect, test } from "vitest";

/** In bytes; CONTRIBUTING.md has the same numbers. */
const maxPacked = 1_150_000;
const maxUnpacked = 3_200_000;

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** Returns the files and sizes that `npm pack` lists. */
async function pack(): Promise<Packed> {
  const { stdout } = await execa("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
  return (JSON.parse(stdout) as [Packed])[0];
}

/** Licences that require only attribution; of "A OR B", one is enough. */
const permissive = /^(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Unlicense)$/;

function isPermissive(licence: string): boolean {
  return licence
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((one) => permissive.test(one));
}

interface Locked {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly deprecated?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Returns the name of an installed package, which may be installed under an alias. */
function nameOf(folder: string): string {
  return (JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { name: string }).name;
}

/** What an installation consists of, by its folder. */
const locked = Object.entries(
  (
    JSON.parse(readFileSync("package-lock.json", "utf8")) as {
      readonly packages: Readonly<Record<string, Locked>>;
    }
  ).packages,
).filter(([folder]) => folder !== "");

test("the package contains the program, its documents and nothing else", async () => {
  const { files } = await pack();
  const kinds = [
    /^(?:package\.json|(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE|llms\.txt)$/,
    /^skills\/sendctl\/SKILL\.md$/,
    /^docs\/(?:[\w-]+\.(?:md|svg)|(?:behaviours|ci|decisions|deploy)\/[\w@-]+\.\w+|ci\/Jenkinsfile)$/,
    /^bin\/(?:sendctl|code-cache|private-cache)\.js$/,
    /^dist\/[\w-]+\.cjs(?:\.code)?$/,
    /^dist\/(?:THIRD-PARTY-LICENSES\.txt|testing\.(?:mjs|d\.mts|d\.cts))$/,
  ];
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => !kinds.some((kind) => kind.test(path)))).toEqual([]);
  const needed = ["LICENSE", "README.md", "CHANGELOG.md", "llms.txt", "bin/sendctl.js"];
  const built = ["main.cjs", "base.cjs", "engine.cjs", "THIRD-PARTY-LICENSES.txt"];
  expect(paths).toEqual(
    expect.arrayContaining([...needed, ...built.map((name) => `dist/${name}`)]),
  );
  for (const path of paths.filter((path) => path.endsWith(".cjs"))) {
    expect(readFileSync(path, "utf8"), path).not.toContain("sourceMappingURL");
    if (!existsSync(`${path}.code`)) continue;
    // Stack traces would show it on other machines.
    expect(readFileSync(`${path}.code`, "latin1"), path).not.toContain(process.cwd());
  }
});

test("the package is at most as large as CONTRIBUTING.md says", async () => {
  const { size, unpackedSize } = await pack();
  expect(size).toBeLessThan(maxPacked);
  expect(unpackedSize).toBeLessThan(maxUnpacked);
  const contributing = readFileSync("CONTRIBUTING.md", "utf8");
  expect(contributing).toContain(`${maxPacked / 1000} kB packed`);
  expect(contributing).toContain(`${maxUnpacked / 1_000_000} MB unpacked`);
});

test("the licences of bundled packages are included and permissive", () => {
  const text = readFileSync("dist/THIRD-PARTY-LICENSES.txt", "utf8");
  const notices = text.split(`\n${"-".repeat(80)}\n\n`).map((notice) => {
    const [, name, licence, terms] = /^(\S+) \S+ \(([^\n]+)\)\n\n([^]*)$/.exec(notice) ?? [];
    return { name: name ?? notice, licence: licence ?? "", terms: terms ?? "" };
  });
  expect(notices.filter(({ licence }) => !isPermissive(licence))).toEqual([]);
  const incomplete = notices.filter(({ terms }) => !/copyright|permission|warranty/i.test(terms));
  expect(incomplete.map(({ name }) => name)).toEqual([]);

  const sources = readdirSync("src", { recursive: true, encoding: "utf8" });
  const imported = sources
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(`src/${file}`, "utf8").matchAll(
        /^(?:import (?!type)[^;]*? from |.*\bimport\()"((?:@[\w-]+\/)?[a-z][\w-]*)(?:\/[^"]*)?"/gm,
      ),
    ])
    .map(([, name]) => name!);
  expect(imported).toContain("commander");
  const named = new Set(notices.map(({ name }) => name));
  // It only gathers packages, which are bundled.
  const missing = imported
    .map((name) => nameOf(`node_modules/${name}`))
    .filter((name) => !named.has(name) && name !== "@inquirer/prompts");
  expect(missing).toEqual([]);
});

test("an installation consists of better-sqlite3 and its dependencies", () => {
  const packages = new Map(locked);
  const needed = new Set<string>();
  const need = (name: string, from: string): void => {
    const own = `${from}/node_modules/${name}`;
    const folder = packages.has(own) ? own : `node_modules/${name}`;
    if (needed.has(folder)) return;
    needed.add(folder);
    const { dependencies, optionalDependencies } = packages.get(folder)!;
    for (const other of Object.keys({ ...dependencies, ...optionalDependencies })) {
      need(other, folder);
    }
  };
  need("better-sqlite3", "");
  need("better-sqlite3-13", "");
  const installed = locked.filter(([, { dev, link }]) => dev !== true && link !== true);
  expect(installed.map(([folder]) => folder).toSorted()).toEqual([...needed].toSorted());
  for (const [folder, { license = "" }] of installed) {
    expect(isPermissive(license), `${folder}: ${license}`).toBe(true);
  }
});

test("no locked package is deprecated", () => {
  const marked = locked.filter(([, { deprecated }]) => deprecated !== undefined);
  expect(marked.map(([folder, { deprecated }]) => `${folder}: ${deprecated}`)).toEqual([]);
});
