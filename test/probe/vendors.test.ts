import { describe, expect, test } from "vitest";
import { stateOf } from "../client/vendors/state.ts";
import type { Seed } from "../client/vendors/records.ts";
import { threeVendors, type Switches } from "../client/vendors/switches.ts";
import { startVendor } from "../client/vendors/vendor-service.ts";
import { newClock, runProbe, switchesOf } from "./run-probe.ts";

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

/** What the requirements of a vendor's switches mean for those of a behaviour file. */
const expected = {
  plain: {
    create_status: 201,
    delete_status: 200,
    error_body: "envelope",
    error_status: "by_cause",
    no_key_status: 401,
    unknown_key_status: 401,
    unknown_path_status: 404,
    not_found_status: 404,
    invalid_status: 422,
    taken_status: "unknown: not observable: group names need not be unique",
    group_create_requires: "name",
    group_update_requires: "nothing",
    group_name_max: "over 1000",
    group_name_unique: false,
    group_name_spaces: "kept",
    birthday_message_max: "over 5000",
    birthday_message_empty: "kept",
    birthday_message_spaces: "kept",
    default_send_birthday: false,
    default_send_holiday: null,
    default_birthday_message: null,
    update_fields_in_create: "ignored",
    unknown_fields: "ignored",
    types: "strict",
    omitted_in_update: "kept",
    null_in_update: "cleared",
    sender_id_means: "name_or_id",
    per_page_default: 20,
    per_page_max: 1000,
    per_page_over_max: "capped",
    per_page_invalid: "refused",
    page_parameter: "honoured",
    past_the_end: "empty",
    group_lookup: "id_or_uuid",
  },
  laravel: {
    create_status: 200,
    error_body: "errors_by_field",
    error_status: "by_cause",
    taken_status: 422,
    group_update_requires: "name",
    group_name_unique: true,
    group_name_spaces: "trimmed",
    birthday_message_empty: "null",
    birthday_message_spaces: "trimmed",
    omitted_in_update: "kept",
    sender_id_means: "id",
    per_page_default: 15,
    per_page_max: 100,
    per_page_over_max: "capped",
    group_lookup: "id",
  },
  gateway: {
    create_status: 200,
    error_body: "message",
    error_status: "always_200",
    not_found_status: "unknown: not observable: every refusal has HTTP 200",
    invalid_status: "unknown: not observable: every refusal has HTTP 200",
    group_update_requires: "nothing",
    omitted_in_update: "reset",
    group_name_unique: false,
    sender_id_means: "any_text",
    per_page_max: 50,
    per_page_over_max: "capped",
    page_parameter: "ignored",
    past_the_end: "unknown: not observable: without page numbers, no page is past the end",
    group_lookup: "id_or_uuid",
  },
  // Two of three writes get a response, which is enough.
  strict: {
    create_status: 201,
    delete_status: 200,
    error_body: "{error: {code, description}}",
    not_found_status: 404,
    invalid_status: 400,
    taken_status: 409,
    group_create_requires: "name",
    group_update_requires: "nothing",
    group_name_unique: true,
    null_in_update: "refused",
    omitted_in_update: "kept",
    sender_id_means: "name",
    per_page_default: 25,
    per_page_max: 200,
    per_page_over_max: "refused",
    page_parameter: "refused",
    group_lookup: "id_or_uuid",
  },
} as const satisfies Record<keyof typeof vendors, Readonly<Record<string, unknown>>>;

const names = Object.keys(vendors) as readonly (keyof typeof vendors)[];

describe.for(names)("%s", (name) => {
  test("--scratch-group finds its switches, and leaves nothing", async () => {
    const { run, before, after } = await probeVendor(vendors[name], scratch);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(switchesOf(run)).toMatchObject(expected[name]);
    expect(run.data?.leftovers).toStrictEqual([]);
    expect(after).toStrictEqual(before);
  });

  test("without it, at most 25 GET requests, and nothing wrong is called the same", async () => {
    const { run, methods, before, after } = await probeVendor(vendors[name], []);
    expect(run.exitCode, run.stderr).toBe(0);
    expect(new Set(methods)).toStrictEqual(new Set(["GET"]));
    expect(methods.length).toBeLessThanOrEqual(25);
    expect(run.data?.requests).toStrictEqual({ GET: methods.length });
    expect(after).toStrictEqual(before);
    const found: Readonly<Record<string, unknown>> = switchesOf(run);
    const wrong = Object.entries(expected[name]).filter(([switchName, value]) => {
      const isKnown = !String(found[switchName]).startsWith("unknown:");
      return isKnown && found[switchName] !== value;
    });
    expect(wrong).toStrictEqual([]);
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
  expect(run.stderr).toContain("rate limit: HTTP 429");
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
      group_create_requires: "name",
      group_lookup: "id_or_uuid",
      omitted_in_update: "kept",
      delete_status: switches.deleteResponse === "no content" ? 204 : 200,
    });
  });
});
