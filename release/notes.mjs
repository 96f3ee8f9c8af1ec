// Prints the changelog's section of a version: node release/notes.mjs VERSION CHANGELOG
// Fails if the section is missing or empty, or has no date. A rehearsal sets ALLOW_UNDATED=1.
import { readFileSync } from "node:fs";
import { argv, env, stdout } from "node:process";
import { argumentsOf } from "./facts.mjs";

const [version, file] = argumentsOf(argv, "node release/notes.mjs VERSION CHANGELOG", 2);

const sections = readFileSync(file, "utf8").split(/^## /m).slice(1);
const section = sections.find((text) => text.startsWith(`[${version}] - `));
if (section === undefined) throw new Error(`${file} has no section "## [${version}] - DATE"`);

const [heading = "", ...lines] = section.split("\n");
const date = heading.slice(`[${version}] - `.length);
if (!/^\d{4}-\d\d-\d\d$/.test(date) && env["ALLOW_UNDATED"] !== "1") {
  throw new Error(`${file}: the date of ${version} is "${date}": use a date such as 2026-01-31`);
}

// Links to files of the repository lead nowhere on the page of a release.
const text = lines
  .join("\n")
  .replaceAll(/\[([^\]]+)\]\((?!https:)[^)]*\)/g, "$1")
  .trim();
if (text === "") throw new Error(`${file}: the section of ${version} is empty`);
stdout.write(`${text}\n`);
