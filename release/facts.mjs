// What the steps of a release have in common: the version, the systems, and the names of files.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { arch, platform } from "node:process";

/** The folder of the project. */
export const root = join(import.meta.dirname, "..");

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

export const { version, description, license } = manifest;

/** Systems as releases name them, with what Node calls them. */
const systems = { linux: "linux", macos: "darwin", windows: "win32" };

/** Returns the system and processor that this Node is for, such as `linux-x64`. */
export function currentTarget() {
  const [system] = Object.entries(systems).find(([, name]) => name === platform) ?? [platform];
  return `${system}-${arch}`;
}

/** Returns the name of the folder in an archive. @param {string} target @param {string} [of] version */
export function archiveFolder(target, of = version) {
  return `sendctl-v${of}-${target}`;
}

/** Returns the name of an archive: a ZIP for Windows, which opens nothing else without a program. */
export function archiveName(target, of = version) {
  return `${archiveFolder(target, of)}.${target.startsWith("windows-") ? "zip" : "tar.gz"}`;
}

/**
 * Reads a file in the format of sha256sum.
 *
 * @param {string} file
 * @returns {ReadonlyMap<string, string>} the checksums in hexadecimal, by the name of their file
 * @throws if a line has another format
 */
export function readChecksums(file) {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return new Map(
    lines.map((line) => {
      const [, sum, name] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
      if (name === undefined || name !== basename(name)) {
        throw new Error(`${file}: not a line of sha256sum: ${line}`);
      }
      return [name, sum];
    }),
  );
}

/**
 * Returns the address and checksum of the archive for a system.
 *
 * @param {ReadonlyMap<string, string>} checksums
 * @param {string} repository its address, without a slash at the end
 * @throws if the checksums have no archive for it
 */
export function downloadOf(checksums, repository, target) {
  const name = archiveName(target);
  const sha256 = checksums.get(name);
  if (sha256 === undefined) throw new Error(`no checksum of ${name}`);
  return { url: `${repository}/releases/download/v${version}/${name}`, sha256 };
}

/** Returns the arguments of a program. @throws if their number is wrong */
export function argumentsOf(argv, usage, count) {
  const words = argv.slice(2);
  if (words.length !== count) throw new Error(`usage: ${usage}`);
  return words;
}
