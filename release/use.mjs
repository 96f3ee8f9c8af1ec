// Does the main job with an installed sendctl, in an empty home: node release/use.mjs PROGRAM
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { argv, env, execPath, platform, stdout } from "node:process";
import { argumentsOf, version } from "./facts.mjs";

const program = resolve(argumentsOf(argv, "node release/use.mjs PROGRAM", 1)[0]);
const folder = mkdtempSync(join(tmpdir(), "sendctl-use-"));
const home = join(folder, "home");
mkdirSync(home);

/** The environment of a new user: none of the variables of this process but PATH. */
const clean = {
  PATH: `${dirname(execPath)}${platform === "win32" ? ";" : ":"}${env["PATH"]}`,
  HOME: home,
  USERPROFILE: home,
  TMPDIR: folder,
  ...(platform === "win32" && { SystemRoot: env["SystemRoot"], TEMP: folder, TMP: folder }),
};

/** Runs the program, which npm installs on Windows as a script. Returns what it prints. */
function sendctl(...args) {
  const isScript = program.endsWith(".cmd");
  const options = { cwd: folder, env: clean, encoding: "utf8", shell: isScript };
  const words = isScript ? args.map((word) => `"${word}"`) : args;
  return execFileSync(isScript ? `"${program}"` : program, words, options);
}

try {
  assert.equal(sendctl("--version").trim(), version);
  sendctl("sender-id", "create", "ACME", "--purpose", "Order updates");
  sendctl("group", "create", "Customers");
  sendctl("group", "update", "Customers", "--sender-id", "ACME");
  assert.match(sendctl("group", "list"), /^ID +Name[^\n]*\n +1 +Customers /);
  assert.equal(sendctl("sender-id", "list", "--query", "[].name").trim(), "ACME");
  const asked =
    "fetch(process.env.SENDCTL_BASE_URL+'/healthz').then(({status})=>console.log(status))";
  assert.equal(sendctl("local", "run", "--", "node", "--eval", asked).trim(), "200");
  sendctl("doctor");
  assert.ok(readdirSync(home).length > 0, "nothing was written to the home");
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
stdout.write(`${program} works\n`);
