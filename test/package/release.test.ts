import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execPath } from "node:process";
import { execa } from "execa";
import { describe } from "vitest";
import { test } from "../support/home.ts";
import { textOf } from "../docs/markdown.ts";

const { version } = JSON.parse(textOf("package.json")) as { version: string };
const repository = "https://github.com/OWNER/sendctl";

/** Runs a script of release/. */
async function script(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const options = { env, reject: false };
  const { exitCode, stdout, stderr } = await execa(execPath, [`release/${name}`, ...args], options);
  return { exitCode, stdout, stderr };
}

const archives = [
  ["linux-x64", "tar.gz"],
  ["linux-arm64", "tar.gz"],
  ["macos-x64", "tar.gz"],
  ["macos-arm64", "tar.gz"],
  ["windows-x64", "zip"],
].map(([target, type]) => `sendctl-v${version}-${target}.${type}`);

/** Writes an archive for each system, with another content each, and their checksums. */
async function writeFiles(folder: string): Promise<string> {
  const files = join(folder, "files");
  await mkdir(files);
  for (const name of archives) await writeFile(join(files, name), name);
  await script("checksums.mjs", ["write", files]);
  return files;
}

async function checksumsIn(files: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(files, "SHA256SUMS"), "utf8")).trimEnd().split("\n");
  return Object.fromEntries(
    lines.map((line) => line.split("  ").toReversed()) as [string, string][],
  );
}

describe("the checksums of a release", () => {
  test("are those of sha256sum", async ({ home, expect }) => {
    const files = await writeFiles(home.folder);
    const checked = await execa("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: files });
    expect(checked.stdout.split("\n")).toHaveLength(archives.length);
    expect(await script("checksums.mjs", ["check", files])).toMatchObject({ exitCode: 0 });
  });

  test.for([
    ["a changed file", archives[0]!, "other"],
    ["a file that the list lacks", "more.txt", "more"],
  ] as const)("report %s", async ([, name, content], { home, expect }) => {
    const files = await writeFiles(home.folder);
    await writeFile(join(files, name), content);
    const { exitCode, stderr } = await script("checksums.mjs", ["check", files]);
    expect({ exitCode, names: stderr.includes(name) }).toStrictEqual({ exitCode: 1, names: true });
  });
});

describe("the formula of Homebrew", () => {
  test("has the address and checksum of each archive", async ({ home, expect }) => {
    const files = await writeFiles(home.folder);
    const sums = await checksumsIn(files);
    const { stdout } = await script("formula.mjs", [join(files, "SHA256SUMS"), repository]);
    const sources = [...stdout.matchAll(/url "(.*)"\n +sha256 "(.*)"/g)];
    expect(Object.fromEntries(sources.map(([, url, sum]) => [url, sum]))).toStrictEqual(
      Object.fromEntries(
        archives
          .filter((name) => !name.includes("windows"))
          .map((name) => [`${repository}/releases/download/v${version}/${name}`, sums[name]]),
      ),
    );
    expect(stdout).toContain(`  version "${version}"\n  license "MIT"\n`);
    const opened = stdout.match(/ do$|^ *def |^class /gm)!;
    expect(stdout.match(/^ *end$/gm)).toHaveLength(opened.length);
  });

  test("is not written without a checksum for each", async ({ home, expect }) => {
    const file = join(home.folder, "SHA256SUMS");
    await writeFile(file, `${"0".repeat(64)}  ${archives[0]}\n`);
    const { exitCode, stdout, stderr } = await script("formula.mjs", [file, repository]);
    expect({ exitCode, stdout }).toStrictEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("no checksum of sendctl-");
  });
});

test("the manifest of Scoop has the archive for Windows", async ({ home, expect }) => {
  const files = await writeFiles(home.folder);
  const sums = await checksumsIn(files);
  const { stdout } = await script("scoop.mjs", [join(files, "SHA256SUMS"), repository]);
  expect(JSON.parse(stdout)).toMatchObject({
    version,
    bin: "sendctl.exe",
    architecture: {
      "64bit": {
        url: `${repository}/releases/download/v${version}/sendctl-v${version}-windows-x64.zip`,
        hash: sums[`sendctl-v${version}-windows-x64.zip`],
        extract_dir: `sendctl-v${version}-windows-x64`,
      },
    },
  });
});

describe("the notes of a release", () => {
  const changelog = [
    "# Changelog\n",
    "## [0.2.0] - 2026-02-01\n\n### Added\n\n- A [page](docs/page.md), in [this form](https://example.com/).\n",
    "## [0.1.1] - 2026-01-31\n",
    "## [0.1.0] - Unreleased\n\n- First.\n",
  ].join("\n");

  for (const [title, wanted, expected] of [
    [
      "are the section of its version, without links to files",
      "0.2.0",
      { exitCode: 0, stdout: "### Added\n\n- A page, in [this form](https://example.com/)." },
    ],
    ["need a section", "0.3.0", { exitCode: 1, stdout: "" }],
    ["need a section that is not empty", "0.1.1", { exitCode: 1, stdout: "" }],
    ["need a date", "0.1.0", { exitCode: 1, stdout: "" }],
  ] as const) {
    test(title, async ({ home, expect }) => {
      const file = join(home.folder, "CHANGELOG.md");
      await writeFile(file, changelog);
      expect(await script("notes.mjs", [wanted, file])).toMatchObject(expected);
    });
  }

  test("exist for the version in package.json", async ({ expect }) => {
    const undated = { ALLOW_UNDATED: "1" };
    const { exitCode, stdout } = await script("notes.mjs", [version, "CHANGELOG.md"], undated);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^### Added\n/);
  });
});

describe("the SBOM", () => {
  interface Sbom {
    readonly bomFormat: string;
    readonly metadata: { readonly component: { readonly name: string } };
    readonly components: readonly { readonly name: string; readonly version: string }[];
  }

  async function componentsOf(kind: string): Promise<readonly string[]> {
    const { stdout } = await script("sbom.mjs", [kind]);
    const sbom = JSON.parse(stdout) as Sbom;
    if (sbom.bomFormat !== "CycloneDX" || sbom.metadata.component.name !== "sendctl") return [];
    return sbom.components.map(({ name, version }) => `${name}@${version}`);
  }

  test("of the package has what is bundled or installed, and no tools", async ({ expect }) => {
    const names = await componentsOf("package");
    expect(
      names.filter((name) => /^(?:commander|better-sqlite3|bindings)@/.test(name)),
    ).toHaveLength(4);
    expect(names.filter((name) => /^(?:vitest|typescript|oxlint|node)@/.test(name))).toEqual([]);
  });

  test("of the executable has Node instead of what is installed", async ({ expect }) => {
    const names = await componentsOf("executable");
    expect(names).toContain(`node@${process.versions.node}`);
    expect(names.filter((name) => /^(?:bindings|better-sqlite3@12)/.test(name))).toEqual([]);
  });
});
