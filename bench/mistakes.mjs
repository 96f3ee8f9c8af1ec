/**
 * Shows what notices mistakes: puts each mistake of mistakes.json into a copy of the project, and runs the tests of its room
 * and the transcripts, and if these pass, all tests.
 *
 *     node bench/mistakes.mjs [ROOM | NUMBER]...
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, env, exit } from "node:process";

/** The tests of each room. The transcripts run first in any case, because they are the fastest. */
const tests = {
  core: ["test/core/", "test/output/", "test/command/", "test/config/"],
  service: ["test/service/", "test/client/"],
  client: ["test/client/"],
  engine: ["test/engine/", "test/contract/"],
  sqlite: ["test/engine/"],
  postgres: ["test/engine/postgres/", "test/engine/store.test.ts", "test/contract/"],
  server: ["test/server/", "test/commands/serve/", "test/commands/local/"],
  output: ["test/output/"],
  config: ["test/config/", "test/commands/profile/", "test/commands/protection.test.ts"],
  manifest: ["test/manifest/", "test/commands/manifest/", "test/client/apply/"],
  command: ["test/command/", "test/commands/"],
  cli: ["test/cli/", "test/commands/"],
};

/** The package's own tests need a checkout, which the copy is not. */
const all = fs
  .readdirSync(join(import.meta.dirname, "../test"))
  .filter((name) => name !== "package")
  .map((name) => `test/${name}/`);

const project = join(import.meta.dirname, "..");
const mistakes = JSON.parse(fs.readFileSync(join(import.meta.dirname, "mistakes.json"), "utf8"));
const wanted = argv.slice(2);
const copy = fs.mkdtempSync(join(tmpdir(), "mistakes-"));
// Some tests run as another user.
fs.chmodSync(copy, 0o755);
fs.cpSync(project, copy, {
  recursive: true,
  filter: (path) => !["node_modules", ".git"].some((name) => path === join(project, name)),
});
fs.symlinkSync(join(project, "node_modules"), join(copy, "node_modules"));

/** Returns the end of the output of a command that failed; undefined if it did not. */
function failureOf(program, ...words) {
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: copy,
    encoding: "utf8",
    env: { ...env, NO_COLOR: "1" },
  });
  return status === 0 ? undefined : `${stderr}\n${stdout}`;
}

/** Returns the first test that fails, or "the build"; undefined if everything passes. */
function noticedBy(room) {
  if (failureOf("npm", "run", "bundle") !== undefined) return "the build";
  for (const folders of [["test/transcripts"], tests[room], all]) {
    const printed = failureOf("npx", "vitest", "run", ...folders, "--bail", "1");
    if (printed === undefined) continue;
    return /^ FAIL +(?:\|\w+\| )?(test.*)/m.exec(printed)?.[1] ?? printed.slice(-500);
  }
  return undefined;
}

let missed = 0;
try {
  for (const [index, [room, file, text, other]] of mistakes.entries()) {
    const number = String(index + 1);
    if (wanted.length > 0 && !wanted.includes(room) && !wanted.includes(number)) continue;
    const path = join(copy, file);
    const right = fs.readFileSync(path, "utf8");
    const places = right.split(text).length - 1;
    if (places !== 1) throw new Error(`${number}: ${file} has ${places} times: ${text}`);
    fs.writeFileSync(
      path,
      right.replace(text, () => other),
    );
    const noticed = noticedBy(room);
    fs.writeFileSync(path, right);
    if (noticed === undefined) missed += 1;
    console.log(`${number} ${room} ${file}: ${noticed ?? `NOT NOTICED: ${text}`}`);
  }
} finally {
  fs.rmSync(copy, { recursive: true, force: true });
}
console.log(`${missed} not noticed`);
exit(missed === 0 ? 0 : 1);
