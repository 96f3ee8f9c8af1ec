// Rehearses a release with this checkout: npm run release:rehearse [-- OUT]
// Runs every step of .github/workflows/release.yml that needs no account, with the scripts that the workflow runs.
// OUT: the folder for the files of the release (default: a temporary one, which is removed).
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { arch, argv, env, execPath, platform, stdout, versions } from "node:process";
import { execa } from "execa";
import { archiveFolder, archiveName, currentTarget, root, version } from "./facts.mjs";

/** The version of Node in the executable. */
const major = 24;
/** Stands for the systems whose executables are built elsewhere, so that their checksums exist. */
const targets = ["linux-x64", "linux-arm64", "macos-x64", "macos-arm64", "windows-x64"];
const image = "sendctl:rehearsal";
/** Stands for the address of the repository. */
const repository = "https://github.com/OWNER/sendctl";

const work = mkdtempSync(join(tmpdir(), "sendctl-rehearsal-"));
const out = argv[2] === undefined ? join(work, "release") : resolve(argv[2]);
const target = currentTarget();
/** A copy of the project, because packages are installed for one version of Node. */
const copy = join(work, "sendctl");

/** Returns a Node of the version that the workflow uses: this one, or one that npm downloads. */
async function findNode() {
  if (Number.parseInt(versions.node, 10) >= major) return execPath;
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}@${major}`;
  const packed = await execa("npm", ["pack", "--silent", name], { cwd: work });
  await execa("tar", ["-x", "-z", "-f", packed.stdout.split("\n").at(-1)], { cwd: work });
  return join(work, "package/bin/node");
}

let node = execPath;

/** Runs a program with this Node first in PATH, in the copy of the project. Returns what it prints. */
async function run(program, args, cwd = copy) {
  const path = `${dirname(node)}${delimiter}${env["PATH"]}`;
  const { stdout } = await execa(program, args, { cwd, env: { PATH: path, ALLOW_UNDATED: "1" } });
  return stdout;
}

/** Runs a script of the release. */
function script(name, ...args) {
  return run("node", [join("release", name), ...args]);
}

function write(name, text) {
  writeFileSync(join(out, name), `${text}\n`);
}

const packageFile = join(out, `sendctl-${version}.tgz`);
const steps = {
  "a copy of the project, installed and built": async () => {
    node = await findNode();
    const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const names = (await execa("git", list, { cwd: root })).stdout.split("\0");
    for (const name of names.filter((one) => one !== "" && existsSync(join(root, one)))) {
      cpSync(join(root, name), join(copy, name));
    }
    await run("npm", ["ci", "--ignore-scripts"]);
    await run("npm", ["run", "build"]);
  },
  "the package": async () => {
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", out]);
    assert.ok(existsSync(packageFile));
  },
  "the package, installed into an empty home": async () => {
    const prefix = join(work, "installed");
    const options = ["--global", "--ignore-scripts", "--prefix", prefix];
    await run("npm", ["install", ...options, packageFile], work);
    await script("use.mjs", join(prefix, platform === "win32" ? "sendctl.cmd" : "bin/sendctl"));
  },
  "the executable": async () => {
    await run("node", ["executable/build.mjs", join(work, "built")]);
    await script("archive.mjs", join(work, "built"), out);
  },
  "the executable, unpacked into an empty home": async () => {
    await run("tar", ["-x", "-f", join(out, archiveName(target))], work);
    const name = platform === "win32" ? "sendctl.exe" : "sendctl";
    await script("use.mjs", join(work, archiveFolder(target), name));
  },
  "the container image, built and run": async () => {
    if ((await execa("docker", ["version"], { reject: false })).exitCode !== 0) {
      return "skipped: no Docker daemon; test/package/dockerfile.test.ts checks the Dockerfile";
    }
    cpSync(packageFile, join(copy, basename(packageFile)));
    await run("docker", ["build", "--quiet", "--tag", image, "."]);
    await script("container.mjs", image);
    return "ok";
  },
  "the SBOM of the package and of the executable": async () => {
    write(`sendctl-${version}.cdx.json`, await script("sbom.mjs", "package"));
    write(`${archiveFolder(target)}.cdx.json`, await script("sbom.mjs", "executable"));
  },
  "the checksums": async () => {
    await script("checksums.mjs", "write", out);
    await script("checksums.mjs", "check", out);
    if (platform === "linux") await run("sha256sum", ["--check", "--strict", "SHA256SUMS"], out);
  },
  "the formula and the manifest of Scoop": async () => {
    const sums = join(out, "SHA256SUMS");
    const known = readFileSync(sums, "utf8");
    const others = targets.filter((one) => !known.includes(archiveName(one)));
    const all = join(work, "SHA256SUMS");
    const lines = others.map((one) => `${"0".repeat(64)}  ${archiveName(one)}\n`);
    writeFileSync(all, [known, ...lines].join(""));
    write("sendctl.rb", await script("formula.mjs", all, repository));
    write("sendctl.json", await script("scoop.mjs", all, repository));
  },
  "the notes": async () => {
    write("notes.md", await script("notes.mjs", version, join(root, "CHANGELOG.md")));
  },
};

try {
  mkdirSync(out, { recursive: true });
  for (const [name, step] of Object.entries(steps)) {
    const from = Date.now();
    const result = (await step()) ?? "ok";
    stdout.write(`${((Date.now() - from) / 1000).toFixed(1).padStart(5)} s  ${name}: ${result}\n`);
  }
  stdout.write(`${readdirSync(out).join("\n")}\n`);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
