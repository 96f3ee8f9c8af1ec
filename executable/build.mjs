// Makes a single executable of sendctl and the Node that runs this: node executable/build.mjs [FOLDER]
// The bundle has to be in dist already (`npm run executable` builds it). FOLDER: what to write to (default: executable/out).
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { arch, argv, execPath, platform, stdout, version, versions } from "node:process";
import { inject } from "postject";
import { rolldown } from "rolldown";

/** Marks the bytes of Node that say whether it includes a program. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const root = join(import.meta.dirname, "..");
const folder = resolve(argv[2] ?? join(import.meta.dirname, "out"));
const program = join(folder, platform === "win32" ? "sendctl.exe" : "sendctl");

/** Copies the program, and has this Node compile its most frequent commands. Returns the folder of the bundle. */
function compile(work) {
  for (const name of ["bin", "dist"]) {
    cpSync(join(root, name), join(work, name), {
      recursive: true,
      filter: (file) => !file.endsWith(".code"),
    });
  }
  symlinkSync(join(root, "node_modules"), join(work, "node_modules"), "junction");
  execFileSync(execPath, [join(work, "bin/code-cache.js")], { stdio: "inherit" });
  return join(work, "dist");
}

/** Bundles what starts the program, because an executable has only one script. */
async function bundleStart(work) {
  const input = join(import.meta.dirname, "main.js");
  const bundle = await rolldown({ input, platform: "node", logLevel: "warn" });
  const file = join(work, "start.cjs");
  await bundle.write({ file, format: "cjs", minify: true });
  return file;
}

/** Returns the addon for this system. */
function findAddon() {
  const require = createRequire(join(root, "package.json"));
  const manifest = require.resolve("better-sqlite3-13/package.json");
  return join(dirname(manifest), "prebuilds", `${platform}-${arch}.node`);
}

/** Returns the licence of this Node, which is beside it in every release. */
function findLicence() {
  const folders = [dirname(execPath), dirname(dirname(execPath))];
  const found = folders.map((one) => join(one, "LICENSE")).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`no LICENSE beside ${execPath}: use a release of Node`);
  return found;
}

/** Returns the files that are added to Node: the start, the bundle and the addon. */
async function prepare(work) {
  const dist = compile(work);
  const main = await bundleStart(work);
  const files = readdirSync(dist).filter((name) => /\.cjs(?:\.code)?$/.test(name));
  const assets = Object.fromEntries(files.map((name) => [name, join(dist, name)]));
  const output = join(work, "sendctl.blob");
  const config = {
    main,
    output,
    assets: { ...assets, "addon.node": findAddon() },
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
  };
  const file = join(work, "config.json");
  writeFileSync(file, JSON.stringify(config));
  execFileSync(execPath, ["--experimental-sea-config", file]);
  return readFileSync(output);
}

async function build(work) {
  const licence = findLicence();
  const added = await prepare(work);
  mkdirSync(folder, { recursive: true });
  // A program that is running cannot be overwritten.
  rmSync(program, { force: true });
  copyFileSync(execPath, program);
  chmodSync(program, 0o755);
  const isMac = platform === "darwin";
  if (isMac) execFileSync("codesign", ["--remove-signature", program]);
  await inject(program, "NODE_SEA_BLOB", added, {
    sentinelFuse: fuse,
    ...(isMac && { machoSegmentName: "NODE_SEA" }),
  });
  // An ad-hoc signature: macOS on arm64 ends programs that have none.
  if (isMac) execFileSync("codesign", ["--sign", "-", program]);
  for (const name of ["LICENSE", "dist/THIRD-PARTY-LICENSES.txt"]) {
    copyFileSync(join(root, name), join(folder, name.replace("dist/", "")));
  }
  copyFileSync(licence, join(folder, "NODE-LICENSE.txt"));
}

if (Number.parseInt(versions.node, 10) < 24)
  throw new Error(`Node 24 or later is needed: this is ${version}`);
const work = mkdtempSync(join(tmpdir(), "sendctl-executable-"));
try {
  await build(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
stdout.write(`${program}\n`);
