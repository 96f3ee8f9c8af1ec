/**
 * Applies one manifest of groups from two machines at the same time, again and again, against one server. The machines
 * share no home folder, so neither waits for the other. A name that stands twice afterwards must have been reported by
 * one of them with all of its ids, exit code 12 and the command that shows them.
 *
 *   npm run stress -- two-applies.mjs [--rounds 20] [--groups 30]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createUser, dataOf, end, newKey, sendctl, startServing } from "./clients.mjs";
import { expect, print } from "./report.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    groups: { type: "string", default: "30" },
  },
});
const [rounds, size] = [Number(values.rounds), Number(values.groups)];

const folder = mkdtempSync(join(tmpdir(), "sendctl-two-"));
const owner = createUser(join(folder, "server"));
const key = await newKey(owner);
const server = await startServing(owner);
const baseUrl = `http://127.0.0.1:${server.port}`;

/** Creates a user of the service with a home of its own. */
function machine(name) {
  const { folder: home, env } = createUser(join(folder, name));
  const target = { SENDCTL_BASE_URL: baseUrl, SENDCTL_SECRET_KEY: key };
  return { folder: home, file: undefined, env: { ...env, ...target } };
}
const machines = [machine("one"), machine("two")];

let withDuplicates = 0;
let duplicates = 0;
let reported = 0;
/** @type {Map<string, number>} */
const endings = new Map();

try {
  for (let round = 1; round <= rounds; round += 1) {
    const names = Array.from({ length: size }, (_, index) => `Round ${round} group ${index}`);
    const manifest = JSON.stringify({ groups: names.map((name) => ({ name })) });
    for (const { folder: home } of machines) writeFileSync(join(home, "m.json"), manifest);
    const applied = await Promise.all(
      machines.map((user) => sendctl(user, "apply", "m.json", "--yes", "--json")),
    );
    const codes = applied.map(({ code }) => code).toSorted((one, other) => one - other);
    const ending = codes.join(" and ");
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    expect(
      codes.every((code) => code === 0 || code === 12),
      `exit ${ending}`,
    );
    /** The ids that either machine reported, by name. */
    const told = new Map(
      applied
        .flatMap(({ stdout }) => JSON.parse(stdout).data.duplicates ?? [])
        .map(({ name, ids }) => [name, ids]),
    );
    const { data: groups } = await dataOf(machines[0], "group", "list", "--all");
    const twice = names
      .map((name) => [name, groups.filter((group) => group.name === name).map(({ id }) => `${id}`)])
      .filter(([, ids]) => ids.length !== 1);
    for (const [name, ids] of twice) {
      expect(ids.length > 1, `${name} is missing`);
      expect(`${told.get(name)?.toSorted()}` === `${ids.toSorted()}`, `${name} was not reported`);
    }
    for (const [name] of told) {
      expect(
        twice.some(([other]) => other === name),
        `${name} stands once but was reported`,
      );
    }
    if (twice.length > 0) withDuplicates += 1;
    duplicates += twice.length;
    reported += told.size;
    const checks = applied.flatMap(({ stdout }) => JSON.parse(stdout).error?.hint ?? []);
    expect(checks.length > 0 === twice.length > 0, "a report has no command that shows the groups");
  }
  print(`${rounds} rounds, ${size} groups each, from two machines at once`);
  print(`${withDuplicates} rounds with duplicates: ${duplicates} names, ${reported} reported`);
  for (const [ending, count] of endings) print(`${count} rounds ended with exit ${ending}`);
  print("All checks passed");
} finally {
  await end(server.child, "SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
