// Uses a container image as docs/deploy.md describes it: node release/container.mjs IMAGE
// As an ordinary user, with a root file system that cannot be written to, until the image says that it is healthy.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { argv, stdout } from "node:process";
import { setTimeout } from "node:timers/promises";
import { argumentsOf, version } from "./facts.mjs";

const [image] = argumentsOf(argv, "node release/container.mjs IMAGE", 1);

/** In seconds; the image is checked after 30. */
const longest = 60;

function docker(...args) {
  return execFileSync("docker", args, { encoding: "utf8" }).trim();
}

const options = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
assert.equal(docker("run", "--rm", ...options, image, "--version"), version);

const container = docker("run", "--detach", ...options, image);
try {
  assert.notEqual(docker("exec", container, "id", "-u"), "0");
  docker("exec", container, "sendctl", "sender-id", "create", "ACME", "--purpose", "Order updates");
  docker("exec", container, "sendctl", "group", "create", "Customers");
  assert.match(docker("exec", container, "sendctl", "group", "list"), /Customers/);
  let health = "";
  for (let second = 0; second < longest && health !== "healthy"; second += 1) {
    await setTimeout(1000);
    health = docker("inspect", "--format", "{{.State.Health.Status}}", container);
  }
  assert.equal(health, "healthy");
  docker("stop", container);
  assert.equal(docker("inspect", "--format", "{{.State.ExitCode}}", container), "0");
} finally {
  docker("rm", "--force", "--volumes", container);
}
stdout.write(`${image} works\n`);
