/** Notices a build that is out of date: the build notes what it was built from, and tests compare. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");
const noteFile = join(root, "dist", "built-from.txt");

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** Returns a hash of the files that the build reads. */
function hashOfSources() {
  const others = ["package.json", "package-lock.json", "rolldown.config.mjs"];
  const hash = createHash("sha256");
  for (const file of [...filesIn("src"), ...filesIn("bin"), ...others].toSorted()) {
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/** Notes in `dist` what it was built from. */
export function noteSources() {
  writeFileSync(noteFile, hashOfSources());
}

/** Provides `isBuildCurrent` to the tests, compared once for all of them. */
export function setup({ provide }) {
  const builtFrom = existsSync(noteFile) ? readFileSync(noteFile, "utf8") : undefined;
  provide("isBuildCurrent", builtFrom === hashOfSources());
}
