import { describe, expect, test } from "vitest";
import { timeout } from "../../support/fuzz-runs.ts";
import { unless, type CommandCase } from "./command-case.ts";
import { caseNamed, caseRows, inSituation, judgedRun, type Judged } from "./judge.ts";
import { know, readyMade } from "./known-behaviour.ts";
import {
  emptyCreates,
  plain,
  proxyPages,
  threeVendors,
  vendorNames,
  type Failure,
  type Switches,
} from "./switches.ts";

/** In the last two vendors, the strict and flaky service fails at the first write. */
const vendors = {
  plain,
  ...threeVendors,
  "strict, a proxy's page": {
    ...threeVendors.strict,
    failures: [{ ...proxyPages, nth: 1, repeats: false }],
  },
  "strict, an empty create": {
    ...threeVendors.strict,
    failures: [{ ...emptyCreates, nth: 1, repeats: false }],
  },
} satisfies Record<string, Partial<Switches>>;

const names = Object.keys(vendors) as readonly (keyof typeof vendors)[];

/** A list if several are allowed. */
type Code = number | readonly number[];

type Codes = readonly [Code, Code, Code, Code, Code, Code];

const done: Codes = [0, 0, 0, 0, 0, 0];
const lostCreate: Codes = [0, 0, 0, 0, 9, 9];
const unknown: Codes = [4, 4, 6, 4, 4, 4];
/** After the proxy's page, the first request may have deleted the record, unless it was looked up before. */
const unknownDelete: Codes = [4, 4, 6, 4, [0, 4], 4];
const wrongKey: Codes = [3, 3, 6, 3, 3, 3];

/** Exit codes in the order of the vendors, as in "Remote behaviour" of the command-line contract. */
const table: Readonly<Record<string, Codes>> = {
  "sender-id create": lostCreate,
  "sender-id create, padded": [0, 10, 0, 0, 9, 9],
  "sender-id create, taken": [0, 6, 0, 5, 9, 5],
  "sender-id create, the same again": [0, 6, 0, 5, 9, 5],
  "sender-id create --if-not-exists": lostCreate,
  "sender-id create --if-not-exists, taken": done,
  "sender-id list": done,
  "sender-id list --all": done,
  "sender-id fetch": done,
  "sender-id fetch, unknown": unknown,
  "sender-id delete": done,
  "sender-id delete, a shared name": [0, 4, 0, 4, [0, 4], 4],
  "sender-id delete, unknown": unknownDelete,
  "sender-id wait": done,
  "sender-id wait, not approved": [13, 13, 13, 13, 13, 13],
  "sender-id wait, unknown": unknown,
  "group create": lostCreate,
  "group create, every field": lostCreate,
  "group create, padded": [0, 10, 0, 0, 9, 9],
  "group create, taken": [0, 6, 0, 5, 9, 5],
  "group list": done,
  "group list --all": done,
  "group list --page 2": [0, 0, 10, 6, 6, 6],
  "group fetch": done,
  "group fetch, unknown": unknown,
  "group update --name": done,
  "group update --birthday-message": done,
  "group update --birthday-message, padded": [0, 10, 0, 0, 0, 0],
  "group update --no-send-holiday": done,
  // A refusal of a repeated update does not say what became of the first one.
  "group update --clear-birthday-message": [0, 0, 0, 6, [6, 9], [6, 9]],
  "group update --sender-id, a name": [0, 6, 0, 0, 0, 0],
  "group update --sender-id, an id": [0, 0, 0, 6, [6, 9], [6, 9]],
  "group update, unknown": unknown,
  "group delete": done,
  "group delete, unknown": unknownDelete,
  "group preview": done,
  apply: [0, 0, 0, [0, 9], 0, 0],
  "apply, nothing to change": done,
  diff: [12, 12, 12, 12, 12, 12],
  "diff, nothing to change": done,
  // If names are not unique, a manifest cannot contain two sender IDs with the same name.
  export: [[0, 10], 0, [0, 10], 0, 0, 0],
  "api GET": done,
  "api GET, unknown": unknown,
  "api POST": [0, 0, 0, 0, 9, 9],
  // Not repeated after the proxy's page: the id may belong to another group by now.
  "api DELETE": [0, 0, 0, 0, 9, 0],
  login: done,
  "login, wrong key": wrongKey,
  doctor: done,
  "doctor, wrong key": wrongKey,
  "group list, wrong key": wrongKey,
};

test("the table has every case", () => {
  expect(Object.keys(table).toSorted()).toStrictEqual(caseRows.map(([name]) => name).toSorted());
});

/** Without those that only read. */
const changingRows = caseRows.filter(
  ([name]) => !/list|fetch|wait|diff|export|preview|GET|login|doctor/.test(name),
);

describe.for(names)("%s", (vendor) => {
  const situation = { switches: vendors[vendor], groups: 30, hasNamesakes: true };
  const column = names.indexOf(vendor);
  // What only reads has no first write that fails.
  const rows = vendor.startsWith("strict,") ? changingRows : caseRows;

  test.for(rows)("%s", ([name, command]) =>
    inSituation(situation, async (trial) => {
      const { exitCode, stdout, stderr, problems } = await judgedRun(trial, command, situation);
      const codes = [table[name]![column]!].flat();
      const other = unless(codes.includes(exitCode), `exit code ${exitCode}, not ${codes.join()}`);
      const isShown = !name.endsWith("wrong key") || /Unauthenticated/.test(stdout + stderr);
      const silent = unless(isShown, "the refusal is not shown");
      expect([...other, ...silent, ...problems], stderr).toStrictEqual([]);
    }),
  );
});

test.for(vendorNames)("%s: a manifest of 30 groups, applied twice", (vendor) => {
  const situation = { switches: threeVendors[vendor] };
  const apply = caseNamed("apply");
  return inSituation(situation, async (trial) => {
    // A service that loses every third response may lose all attempts of a write.
    let first = await judgedRun(trial, apply, situation);
    for (let runs = 1; first.exitCode === 9 && runs < 3; runs += 1) {
      expect(first.problems, first.stderr).toStrictEqual([]);
      first = await judgedRun(trial, apply, situation);
    }
    expect([first.exitCode, ...first.problems], first.stderr).toStrictEqual([0]);
    const second = await judgedRun(trial, apply, situation);
    expect([second.exitCode, ...second.problems], second.stderr).toStrictEqual([0]);
    expect([...new Set(second.methods)]).toStrictEqual(["GET"]);
  });
});

/** Refusal by a service that is unknown, and done once the kind of key that it takes is known. */
const better: ReadonlySet<string> = new Set([
  "laravel: group update --sender-id, a name",
  "strict: group update --sender-id, an id",
]);

const allPages = [
  "sender-id list --all",
  "group list --all",
  "sender-id create --if-not-exists",
  "sender-id delete, a shared name",
  "sender-id delete, unknown",
  "group delete, unknown",
];
const lists = ["apply", "apply, nothing to change", "diff, nothing to change", "diff", "export"];

/** The cases that save requests, for each vendor and number of groups. The gateway shows up to 50 groups. */
const saving = [
  ["laravel", 30, []],
  ["gateway", 30, []],
  ["gateway", 60, []],
  ["strict", 30, [...allPages, ...lists, "group fetch, unknown", "group update, unknown"]],
] as const;

describe.for(saving)("the ready-made behaviour of the vendor %s, %i groups", (given) => {
  const [vendor, groups, saved] = given;
  const switches: Partial<Switches> = { ...threeVendors[vendor], rate: undefined, failures: [] };
  const situation = { switches, groups, hasNamesakes: true };
  // What is special about the gateway, and the number of groups, matter only to the commands that read lists.
  const rows =
    vendor === "gateway"
      ? caseRows.filter(([name]) => /list|apply|diff|export/.test(name))
      : caseRows;

  test.for(rows)("changes nothing but the number of requests: %s", async ([name, command]) => {
    const run = (isKnown: boolean): Promise<Judged> =>
      inSituation(situation, async (trial) => {
        if (isKnown) await know(trial, readyMade(vendor));
        return judgedRun(trial, command, situation);
      });
    const [unknown, known] = await Promise.all([run(false), run(true)]);
    const isBetter = better.has(`${vendor}: ${name}`);
    expect(known.exitCode, known.stderr).toBe(isBetter ? 0 : unknown.exitCode);
    if (isBetter) return;
    expect(known.problems, known.stderr).toStrictEqual([]);
    expect(known.after).toStrictEqual(unknown.after);
    const isSaving = (saved as readonly string[]).includes(name);
    const difference = unknown.requests.length - known.requests.length;
    expect(Math.sign(difference)).toBe(isSaving ? 1 : 0);
  });
});

/** Returns a case with fewer groups in its manifest: each kind of change, and more than are sent at the same time. */
const shortened = (command: CommandCase): CommandCase => ({
  ...command,
  ...(command.manifest !== undefined && {
    manifest: (...given) => {
      const { groups, ...rest } = command.manifest!(...given) as { groups: readonly object[] };
      return { ...rest, groups: groups.slice(0, 18) };
    },
  }),
});

describe.for(vendorNames)("%s: each response is lost in turn", (vendor) => {
  // A read is repeated in the same way whatever the vendor.
  const rows = vendor === "gateway" ? caseRows : changingRows;

  test.for(rows)("%s", timeout, async ([, command]) => {
    const loseOne = (nth: number): Promise<Judged> => {
      const kind = "connection lost";
      const lost: Failure = { kind, when: "after", on: "all", nth, repeats: false };
      const switches = { ...threeVendors[vendor], failures: [lost], rate: undefined };
      const situation = { switches, groups: 30, hasNamesakes: true };
      return inSituation(situation, (trial) => judgedRun(trial, shortened(command), situation));
    };
    const { length } = (await loseOne(0)).requests;
    // The later ones of a plan are like those before them.
    for (let nth = 1; nth <= length; nth += nth < 16 ? 1 : 3) {
      const { problems, stderr } = await loseOne(nth);
      expect(problems, `response ${nth} of ${length} was lost: ${stderr}`).toStrictEqual([]);
    }
  });
});
