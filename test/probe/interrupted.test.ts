import { describe, expect, test } from "vitest";
import type { StopSignal } from "../../src/core/programs.ts";
import { stateOf } from "../client/vendors/state.ts";
import { threeVendors, type Failure, type Switches } from "../client/vendors/switches.ts";
import { startVendor } from "../client/vendors/vendor-service.ts";
import { runProbe, switchesOf, type ProbeRun } from "./run-probe.ts";

/** The last one is of another probe, which may still need it. */
const groups = [
  ...Array.from({ length: 29 }, (_, index) => ({ name: `Group ${index + 1}` })),
  { name: "sendctl-probe-0123456789ab-01" },
];
const senderIds = [{ name: "Acme" }];

/** The plain vendor without rate limit, and one whose lists lag and whose page numbers do nothing. */
const vendors = {
  plain: {},
  gateway: threeVendors.gateway,
} satisfies Readonly<Record<string, Partial<Switches>>>;

type VendorName = keyof typeof vendors;

/** What happens to one request: how it fails, and when a signal arrives. */
const mishaps = {
  dropped: { kind: "connection lost", when: "before" },
  lost: { kind: "connection lost", when: "after" },
  "gateway page": { kind: "gateway page", when: "after" },
  before: { signal: "received" },
  after: { signal: "ready" },
  "after, lost": { kind: "connection lost", when: "after", signal: "ready" },
} as const satisfies Readonly<
  Record<string, Partial<Failure> & { readonly signal?: "received" | "ready" }>
>;

type Mishap = keyof typeof mishaps;

/** Probes a vendor, with a mishap at one request; at none if `nth` is 0. */
async function probeWith(vendorName: VendorName, nth: number, mishap: Mishap) {
  const given: { readonly kind?: Failure["kind"]; readonly signal?: string } = mishaps[mishap];
  const failure = { when: "after", on: "all", nth, repeats: false, ...given } as const;
  const failures = given.kind === undefined ? [] : [{ ...failure, kind: given.kind }];
  const vendor = await startVendor({ ...vendors[vendorName], failures });
  const senders: ((signal: StopSignal) => void)[] = [];
  vendor.tap = (moment, number) => {
    if (number === nth && moment === given.signal) for (const send of senders) send("SIGINT");
  };
  try {
    vendor.seed({ senderIds, groups });
    const before = stateOf(vendor.records);
    const run = await runProbe(["probe", "--scratch-group", "--yes", "--json"], {
      baseUrl: vendor.baseUrl,
      key: vendor.key,
      stopWith: (stop) => void senders.push(stop),
    });
    return { run, before, after: stateOf(vendor.records), requests: vendor.requests };
  } finally {
    await vendor.close();
  }
}

const timeout = { timeout: 240_000 };

/** Calls `check` for requests of a probe, each in turn as the one with the mishap. */
async function eachRequest(
  vendorName: VendorName,
  mishap: Mishap,
  isNew: (method: string, previous: string | undefined) => boolean,
  check: (run: ProbeRun, undisturbed: ProbeRun, nth: number) => void,
): Promise<void> {
  const undisturbed = await probeWith(vendorName, 0, mishap);
  const methods = undisturbed.requests.map(({ method }) => method);
  expect(methods.length).toBeGreaterThan(30);
  for (const [index, method] of methods.entries()) {
    if (!isNew(method, methods[index - 1])) continue;
    const nth = index + 1;
    const { run, before, after } = await probeWith(vendorName, nth, mishap);
    expect(after, `request ${nth}: ${run.stderr}`).toStrictEqual(before);
    expect(run.stderr, `request ${nth}`).not.toContain("was not deleted");
    check(run, undisturbed.run, nth);
  }
}

test("a service that loses single responses all the time is not given up", async () => {
  const failures = [
    { kind: "connection lost", when: "before", on: "GET", nth: 3, repeats: true } as const,
  ];
  const vendor = await startVendor({ ...vendors.plain, failures });
  try {
    vendor.seed({ senderIds, groups });
    const run = await runProbe(["probe", "--json"], { baseUrl: vendor.baseUrl, key: vendor.key });
    expect([run.exitCode, run.stdout + run.stderr]).toEqual([
      0,
      expect.not.stringContaining("stopped responding"),
    ]);
  } finally {
    await vendor.close();
  }
});

test("a service that goes away is given up after a few requests", async () => {
  const vendor = await startVendor(vendors.plain);
  vendor.seed({ senderIds, groups });
  let closing: Promise<void> | undefined;
  vendor.tap = (moment, number) => {
    if (number === 4 && moment === "ready") closing ??= vendor.close();
  };
  const run = await runProbe(["probe", "--json"], { baseUrl: vendor.baseUrl, key: vendor.key });
  await closing;
  expect(run.stdout).toContain('"reason": "the service stopped responding"');
  const found = Object.values(switchesOf(run));
  const given = found.filter((value) => value === "unknown: the service stopped responding");
  expect(given.length).toBeGreaterThan(1);
});

const names = Object.keys(vendors) as readonly VendorName[];

describe.for(names)("%s", (name) => {
  test.for(["before", "after", "after, lost"] as const)(
    "a signal at a request (%s its response) ends the probe and leaves nothing",
    timeout,
    (mishap) => {
      // Of requests in a row with one method, each leaves as much as the first. A GET is not carried out.
      const isNew = (method: string, previous: string | undefined): boolean =>
        method !== previous && (method !== "GET" || mishap !== "before");
      return eachRequest(name, mishap, isNew, (run, _, nth) => {
        expect(run.exitCode, `request ${nth}: ${run.stderr}`).toBe(130);
        expect(run.error?.kind).toBe("cancelled");
      });
    },
  );

  test.for(["dropped", "lost", "gateway page"] as const)(
    "a request is %s, each in turn: nothing is left, and no verdict is wrong",
    timeout,
    (mishap) => {
      // The client repeats a GET or PUT in the same way however it failed, and whatever the vendor.
      const isNew = (method: string, previous: string | undefined): boolean =>
        (name === "plain" && mishap === "lost") || (method !== "GET" && method !== previous);
      return eachRequest(name, mishap, isNew, (run, undisturbed, nth) => {
        expect(run.exitCode, `request ${nth}: ${run.stderr}`).toBe(0);
        const found = switchesOf(run);
        const wrong = Object.entries(switchesOf(undisturbed)).filter(
          ([switchName, value]) =>
            found[switchName] !== value && !String(found[switchName]).startsWith("unknown:"),
        );
        expect(wrong, `request ${nth}`).toStrictEqual([]);
      });
    },
  );
});

test(
  "two creates in a row are lost, each pair in turn, and listed late: nothing is left",
  timeout,
  async () => {
    for (let nth = 1, count = Infinity; nth <= count; nth += 1) {
      const lost = { kind: "connection lost", when: "after", on: "POST", repeats: false } as const;
      const failures = [
        { ...lost, nth },
        { ...lost, nth: nth + 1 },
      ];
      const vendor = await startVendor({ listLag: 3, failures });
      vendor.seed({ senderIds, groups });
      const before = stateOf(vendor.records);
      const run = await runProbe(["probe", "--scratch-group", "--yes", "--json"], vendor);
      await vendor.close();
      expect(run.stderr, `create ${nth}`).not.toContain("was not deleted");
      expect(stateOf(vendor.records), `create ${nth}: ${run.stderr}`).toStrictEqual(before);
      count = vendor.requests.filter(({ method }) => method === "POST").length;
    }
  },
);

test("a scratch group that is listed late and cannot be deleted is reported with its id", async () => {
  const failures = [
    { kind: "connection lost", when: "after", on: "POST", nth: 1, repeats: false } as const,
    { kind: "connection lost", when: "after", on: "POST", nth: 2, repeats: false } as const,
    { kind: "gateway page", when: "before", on: "DELETE", nth: 1, repeats: true } as const,
  ];
  const vendor = await startVendor({ listLag: 3, failures });
  const run = await runProbe(["probe", "--scratch-group", "--yes", "--json"], vendor);
  await vendor.close();
  const left = [...stateOf(vendor.records).groups].length;
  expect(left).toBeGreaterThan(0);
  expect(run.data?.leftovers).toHaveLength(left);
  expect(run.data?.leftovers.every(({ id }) => id !== null)).toBe(true);
});

test("groups that are left by a service that goes away during the cleanup are reported once", async () => {
  const vendor = await startVendor({});
  let closing: Promise<void> | undefined;
  vendor.tap = (moment) => {
    const { method } = vendor.requests.at(-1) ?? {};
    if (moment === "ready" && method === "DELETE") closing ??= vendor.close();
  };
  const run = await runProbe(["probe", "--scratch-group", "--yes", "--json"], vendor);
  await closing;
  const ids = vendor.records.groups.rows.map(({ id }) => String(id));
  expect(ids.length).toBeGreaterThan(1);
  const reported = run.data?.leftovers.map(({ id }) => id) ?? [];
  expect(reported).toStrictEqual(expect.arrayContaining(ids));
  expect(new Set(reported).size).toBe(reported.length);
  expect(run.stderr).toContain("hint: sendctl probe --clean");
});
