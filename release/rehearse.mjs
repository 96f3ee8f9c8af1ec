// Rehearses a release with this checkout: npm run release:rehearse [-- OUT]
// Runs every step of .github/workflows/release.yml that needs no account, with the scripts that the workflow runs.
// OUT: the folder for the files of the release (default: a temporary one, which is removed).
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
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
import { archiveFolder, archiveName, currentTarget, root, version } from "./facts.mjs";

/** The version of Node in the executable. */
const major = 24;
/** Stands for the systems whose executables are built elsewhere, so that their checksums exist. */
const targets = ["linux-x64", "linux-arm64", "macos-x64", "macos-arm64", "windows-x64"];
const image = "sendctl:rehearsal";
/** Stands for the address of the repository. */
const repository = "https://github.com/OWNER/sendctl";

if (argv[2] !== undefined && existsSync(argv[2])) {
  throw new Error(`${argv[2]} exists: remove it, or name another folder`);
}
const work = mkdtempSync(join(tmpdir(), "sendctl-rehearsal-"));
const out = argv[2] === undefined ? join(work, "release") : resolve(argv[2]);
const target = currentTarget();
/** A copy of the project, because packages are installed for one version of Node. */
const copy = join(work, "sendctl");

let node = execPath;

/** Runs a program with this Node first in PATH. Returns what it prints. */
function run(program, args, cwd = copy) {
  const path = `${dirname(node)}${delimiter}${env["PATH"]}`;
  return execFileSync(program, args, {
    cwd,
    env: { ...env, PATH: path, ALLOW_UNDATED: "1" },
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "pipe"],
    // npm is a script there.
    shell: platform === "win32" && program === "npm",
  }).trimEnd();
}

/** Returns a Node of the version that the workflow uses: this one, or one that npm downloads. */
function findNode() {
  if (Number.parseInt(versions.node, 10) >= major) return execPath;
  const name = `node-${platform === "win32" ? "win" : platform}-${arch}@${major}`;
  const packed = run("npm", ["pack", "--silent", name], work);
  run("tar", ["-x", "-z", "-f", packed.split("\n").at(-1)], work);
  return join(work, "package/bin", platform === "win32" ? "node.exe" : "node");
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
  "a copy of the project, installed and built": () => {
    node = findNode();
    const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    const names = run("git", list, root).split("\0");
    for (const name of names.filter((one) => one !== "" && existsSync(join(root, one)))) {
      cpSync(join(root, name), join(copy, name));
    }
    run("npm", ["ci", "--ignore-scripts"]);
    run("npm", ["run", "build"]);
  },
  "the package": () => {
    run("npm", ["pack", "--ignore-scripts", "--pack-destination", out]);
    assert.ok(existsSync(packageFile));
  },
  "the package, installed into an empty home": () => {
    const prefix = join(work, "installed");
    const options = ["--global", "--ignore-scripts", "--prefix", prefix];
    run("npm", ["install", ...options, packageFile], work);
    script("use.mjs", join(prefix, platform === "win32" ? "sendctl.cmd" : "bin/sendctl"));
  },
  "the executable": () => {
    run("node", ["executable/build.mjs", join(work, "built")]);
    script("archive.mjs", join(work, "built"), out);
  },
  "the executable, unpacked into an empty home": () => {
    run("tar", ["-x", "-f", join(out, archiveName(target))], work);
    const name = platform === "win32" ? "sendctl.exe" : "sendctl";
    script("use.mjs", join(work, archiveFolder(target), name));
  },
  "the container image, built and run": () => {
    if (spawnSync("docker", ["version"]).status !== 0) {
      return "skipped: no Docker daemon; test/package/dockerfile.test.ts checks the Dockerfile";
    }
    cpSync(packageFile, join(copy, basename(packageFile)));
    run("docker", ["build", "--quiet", "--tag", image, "."]);
    script("container.mjs", image);
    return "ok";
  },
  "the SBOM of the package and of the executable": () => {
    write(`sendctl-${version}.cdx.json`, script("sbom.mjs", "package"));
    write(`${archiveFolder(target)}.cdx.json`, script("sbom.mjs", "executable"));
  },
  "the checksums": () => {
    script("checksums.mjs", "write", out);
    script("checksums.mjs", "check", out);
    if (platform === "linux") run("sha256sum", ["--check", "--strict", "SHA256SUMS"], out);
  },
  "the formula and the manifest of Scoop": () => {
    const sums = join(out, "SHA256SUMS");
    const known = readFileSync(sums, "utf8");
    const others = targets.filter((one) => !known.includes(archiveName(one)));
    const all = join(work, "SHA256SUMS");
    const lines = others.map((one) => `${"0".repeat(64)}  ${archiveName(one)}\n`);
    writeFileSync(all, [known, ...lines].join(""));
    write("sendctl.rb", script("formula.mjs", all, repository));
    write("sendctl.json", script("scoop.mjs", all, repository));
  },
  "the notes": () => {
    write("notes.md", script("notes.mjs", version, join(root, "CHANGELOG.md")));
  },
};

try {
  mkdirSync(out, { recursive: true });
  for (const [name, step] of Object.entries(steps)) {
    const from = Date.now();
    const result = step() ?? "ok";
    stdout.write(`${((Date.now() - from) / 1000).toFixed(1).padStart(5)} s  ${name}: ${result}\n`);
  }
  stdout.write(`${readdirSync(out).join("\n")}\n`);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
