import { describe, expect, test } from "vitest";
import { unless } from "./command-case.ts";
import { caseRows, inSituation, judgedRun, type Situation } from "./judge.ts";
import { emptyCreates, plain, proxyPages, threeVendors, type Switches } from "./switches.ts";

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

/** A list if the contract allows several. */
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
  "group update --clear-birthday-message": [0, 0, 0, 6, 6, 6],
  "group update --sender-id, a name": [0, 6, 0, 0, 0, 0],
  "group update --sender-id, an id": [0, 0, 0, 6, 6, 6],
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

describe.for(names)("%s", (vendor) => {
  const situation: Situation = { switches: vendors[vendor], groups: 30, hasNamesakes: true };
  const column = names.indexOf(vendor);

  test.for(caseRows)("%s", ([name, command]) =>
    inSituation(situation, async (trial) => {
      const { exitCode, stderr, problems } = await judgedRun(trial, command, situation);
      const codes = [table[name]![column]!].flat();
      const other = unless(codes.includes(exitCode), `exit code ${exitCode}, not ${codes.join()}`);
      expect([...other, ...problems], stderr).toStrictEqual([]);
    }),
  );
});
