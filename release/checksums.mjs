// Writes SHA256SUMS for the files of a folder, or checks it: node release/checksums.mjs write|check FOLDER
// A check also fails if the folder has a file without a checksum.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { argumentsOf, readChecksums } from "./facts.mjs";

const name = "SHA256SUMS";
const usage = "node release/checksums.mjs write|check FOLDER";
const [action, folder] = argumentsOf(argv, usage, 2);
if (!["write", "check"].includes(action)) throw new Error(`usage: ${usage}`);

const sums = readdirSync(folder)
  .filter((file) => file !== name)
  .toSorted()
  .map((file) => [
    file,
    createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex"),
  ]);
const list = join(folder, name);

if (action === "write")
  writeFileSync(list, sums.map(([file, sum]) => `${sum}  ${file}\n`).join(""));
const expected = readChecksums(list);
const files = new Set([...expected.keys(), ...sums.map(([file]) => file)]);
const found = new Map(sums);
const wrong = [...files].filter((file) => found.get(file) !== expected.get(file));
if (wrong.length > 0)
  throw new Error(`missing, changed or without a checksum: ${wrong.join(", ")}`);
stdout.write(`${sums.length} files have the checksums of ${name}\n`);
