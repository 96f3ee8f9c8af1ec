import { assert, asyncProperty } from "fast-check";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { SwitchName } from "../../src/contract/behaviour.ts";
import { scratchNameOf } from "../../src/probe/bench.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { anySituation, unusual } from "../client/vendors/any-switches.ts";
import { stateOf } from "../client/vendors/state.ts";
import type { Seed } from "../client/vendors/records.ts";
import {
  plain,
  threeVendors,
  type RefusalShape,
  type Switches,
} from "../client/vendors/switches.ts";
import { startVendor } from "../client/vendors/vendor-service.ts";
import { newClock, runProbe, switchesOf, type ProbeRun } from "./run-probe.ts";

const bodies: Readonly<Record<RefusalShape, string>> = {
  envelope: "envelope",
  message: "message",
  "errors by field": "errors_by_field",
  "errors list": "{message, errors}",
  error: "error",
  "error.message": "error_message",
  "error.description": "{error}",
  detail: "{detail}",
  title: "{title}",
};

const updates = {
  "keeps omitted": ["nothing", "kept"],
  "resets omitted": ["nothing", "reset"],
  "needs name": ["name", "kept"],
  "needs every field": ["every_field", undefined],
} as const;

const references = {
  "a name": "name",
  "an id": "id",
  "a name or id": "name_or_id",
  "any text": "any_text",
} as const;

/** Returns the right values of the switches that a vendor's switches decide; undefined if no request shows one. */
function truthOf(vendor: Switches): Partial<Record<SwitchName, unknown>> {
  const isAlways200 = vendor.refusals === "always 200";
  const [requires, omitted] = updates[vendor.put];
  return {
    create_status: vendor.createStatus,
    delete_status: vendor.deleteResponse === "no content" ? 204 : 200,
    error_status: isAlways200 ? "always_200" : "by_cause",
    // An injected failure can take the body of a refusal.
    ...(isAlways200 ||
    vendor.failures.some(({ kind }) => kind === "empty response") ||
    (vendor.htmlNotFound && vendor.refusalShape === "envelope")
      ? {}
      : { error_body: bodies[vendor.refusalShape] }),
    not_found_status: isAlways200 ? undefined : 404,
    group_update_requires: requires,
    omitted_in_update: omitted,
    group_name_unique: vendor.uniqueNames !== "none",
    update_fields_in_create: "ignored",
    unknown_fields: "ignored",
    null_in_update: vendor.nulls === "refused" ? "refused" : "cleared",
    sender_id_means: references[vendor.senderIdIs],
    per_page_default: vendor.defaultPerPage,
    per_page_max: vendor.maxPerPage,
    page_parameter: vendor.page,
    group_lookup: vendor.uuids ? "id_or_uuid" : "id",
  };
}

/** Returns the verdicts that are neither right nor unknown. */
function wrongIn(run: ProbeRun, truth: Partial<Record<SwitchName, unknown>>): string[] {
  const found: Readonly<Record<string, unknown>> = switchesOf(run);
  return Object.entries(truth).flatMap(([name, value]) => {
    // A probe that could not read the first list has no findings.
    if (run.exitCode !== 0) return [];
    const isUnknown = String(found[name]).startsWith("unknown:");
    return isUnknown || found[name] === value
      ? []
      : [`${name}: ${String(found[name])}, not ${String(value)}`];
  });
}

const vendors = { plain: {}, ...threeVendors } satisfies Record<string, Partial<Switches>>;

const seed: Seed = {
  senderIds: [{ name: "Acme" }, { name: "Later", status: "APPROVED" }],
  groups: Array.from({ length: 30 }, (_, index) => ({ name: `Group ${index + 1}` })),
};

/** Probes a vendor with 30 groups, and returns its requests and its records before and after. */
async function probeVendor(switches: Partial<Switches>, args: readonly string[], seeded = seed) {
  const clock = newClock();
  const vendor = await startVendor(switches, { now: () => clock.now });
  try {
    vendor.seed(seeded);
    const before = stateOf(vendor.records);
    const { baseUrl, key } = vendor;
    const run = await runProbe(["probe", "--json", ...args], { baseUrl, key, clock });
    const methods = vendor.requests.map(({ method }) => method);
    return { run, methods, vendor, before, after: stateOf(vendor.records) };
  } finally {
    await vendor.close();
  }
}

const scratch = ["--scratch-group", "--yes"];

const names = Object.keys(vendors) as readonly (keyof typeof vendors)[];

describe.for(names)("%s", (name) => {
  test("--scratch-group finds its switches, and leaves nothing", async () => {
    const { run, before, after } = await probeVendor(vendors[name], scratch);
    expect(run.exitCode, run.stderr).toBe(0);
    const hidden: unknown = expect.stringMatching(/^unknown: not observable/);
    const vendor: Switches = { ...plain, ...vendors[name] };
    const truth = { ...truthOf(vendor), error_body: bodies[vendor.refusalShape] };
    const expected = Object.entries(truth).map(([switchName, value]) => [
      switchName,
      value === undefined ? hidden : value,
    ]);
    expect(switchesOf(run)).toMatchObject(Object.fromEntries(expected));
    expect(run.data?.leftovers).toStrictEqual([]);
    expect(after).toStrictEqual(before);
  });

  test("without it, at most 20 GET requests, and nothing wrong is called the same", async () => {
    const { run, methods, before, after } = await probeVendor(vendors[name], []);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(new Set(methods)).toStrictEqual(new Set(["GET"]));
    expect(methods.length).toBeLessThanOrEqual(20);
    expect(after).toStrictEqual(before);
    expect(wrongIn(run, truthOf({ ...plain, ...vendors[name] }))).toStrictEqual([]);
  });
});

test("no request is limited by a service that allows five per second", async () => {
  const { rate } = threeVendors.strict;
  const { run, vendor } = await probeVendor({ rate }, scratch);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(vendor.requests.filter(({ status }) => status === 429)).toStrictEqual([]);
});

test("after a 429 it waits as long as the service asks for", async () => {
  const rate = { requests: 2, window: 10_000, header: "Retry-After" } as const;
  const { run, vendor } = await probeVendor({ rate }, []);
  expect(run.exitCode, run.stderr).toBe(0);
  const limited = vendor.requests.filter(({ status }) => status === 429);
  expect(limited.length).toBeLessThan(vendor.requests.length / 2);
});

test("a service that keeps limiting requests is left alone", async () => {
  const rate = { requests: 6, window: 3_600_000, header: "none" } as const;
  const { run, methods } = await probeVendor({ rate }, scratch);
  expect(run.exitCode, run.stderr).toBe(0);
  expect(methods.length).toBeLessThanOrEqual(10);
  expect(new Set(methods)).toStrictEqual(new Set(["GET"]));
  expect(switchesOf(run)["create_status"]).toMatch(/^unknown: .*HTTP 429/);
});

test("nothing is known of records that do not exist", async () => {
  const { run } = await probeVendor({}, [], {});
  expect(switchesOf(run)).toMatchObject({
    page_parameter: expect.stringMatching(/^unknown:.*--scratch-group/) as string,
    sender_id_means: "unknown: needs --scratch-group",
  });
});

describe("unusual services", () => {
  const unusual: Readonly<Record<string, Partial<Switches>>> = {
    "ids as text": { idsAsText: true },
    "ids beyond 2^53": { firstId: 9_007_199_254_740_993n },
    "extra fields": { extraFields: true, withoutContactsCount: true },
    "lists without total": { withoutTotal: true },
    "lagging lists": { listLag: 2, totalLag: 3 },
    "ascending lists": { order: "ascending" },
    "overlapping pages": { pagesOverlap: true },
    "a total that is too low": { totalShortBy: 7 },
    "204 for a delete": { deleteResponse: "no content" },
    "redirected browsers": { redirectsBrowsers: true },
  };

  test.for(Object.entries(unusual))("%s: nothing is left", async ([, switches]) => {
    const { run, before, after } = await probeVendor(switches, scratch);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(after).toStrictEqual(before);
    expect(run.data?.leftovers).toStrictEqual([]);
    expect(switchesOf(run)).toMatchObject({
      group_lookup: "id_or_uuid",
      omitted_in_update: "kept",
      delete_status: switches.deleteResponse === "no content" ? 204 : 200,
    });
  });
});

/** Without a default page size over the largest one, for which a vendor could refuse the list itself. */
const anyVendor = anySituation.map(({ switches, ...situation }) => {
  const complete: Switches = { ...plain, ...switches };
  const defaultPerPage = Math.min(complete.defaultPerPage, complete.maxPerPage);
  return { ...situation, switches: { ...complete, defaultPerPage } };
});

test("a probe of any vendor has no wrong verdict and leaves its records as they are", timeout, () =>
  assert(
    asyncProperty(anyVendor, async ({ switches, groups, hasNamesakes }) => {
      const clock = newClock();
      const vendor = await startVendor(switches, { now: () => clock.now });
      try {
        const names = Array.from({ length: groups }, (_, index) => `Group ${index}`);
        vendor.seed({
          senderIds: [{ name: "Acme" }, { name: hasNamesakes ? "Acme" : "Other" }],
          groups: names.map((name) => ({ name, send_birthday: true, birthday_message: "Hi" })),
        });
        const before = stateOf(vendor.records);
        const { baseUrl, key } = vendor;
        const run = await runProbe(["probe", "--json", ...scratch], { baseUrl, key, clock });
        // Without the first list there is nothing to probe: it fails as `group list` does.
        expect([0, 6, 8, 10]).toContain(run.exitCode);
        const ids = new Set(before.groups.map(({ id }) => id));
        const after = stateOf(vendor.records);
        expect(after.senderIds).toStrictEqual(before.senderIds);
        const old = after.groups.filter(({ id }) => ids.has(id));
        expect(old).toStrictEqual(before.groups);
        // What is left is reported, without the white space of an experiment.
        const left = after.groups.filter(({ id }) => !ids.has(id)).map(scratchNameOf);
        const reported = run.data?.leftovers.map(({ name }) => name) ?? [];
        expect(reported).toStrictEqual(expect.arrayContaining(left));
        expect(wrongIn(run, truthOf(switches))).toStrictEqual([]);
      } catch (cause) {
        const seen = { switches: unusual(switches), requests: vendor.requests };
        throw new Error(inspect(seen, { depth: 4, maxArrayLength: 200 }), { cause });
      } finally {
        await vendor.close();
      }
    }),
    { ...cases(20), includeErrorInReport: true },
  ),
);
