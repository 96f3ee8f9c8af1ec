import { assert, asyncProperty } from "fast-check";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { SwitchName } from "../../src/contract/behaviour.ts";
import { cases, timeout } from "../fuzz/fuzz-runs.ts";
import { anySituation, unusual } from "../client/vendors/any-switches.ts";
import { stateOf } from "../client/vendors/state.ts";
import { plain, type RefusalShape, type Switches } from "../client/vendors/switches.ts";
import { startVendor } from "../client/vendors/vendor-service.ts";
import { newClock, runProbe, switchesOf, type ProbeRun } from "./run-probe.ts";

const bodies: Readonly<Record<RefusalShape, string>> = {
  envelope: "envelope",
  message: "message",
  "errors by field": "errors_by_field",
  "errors list": "{message, errors}",
  error: "error",
  "error.message": "error_message",
  "error.description": "{error: {code, description}}",
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

/** Returns the right values of the switches that a vendor's switches decide. */
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
    no_key_status: isAlways200 ? undefined : 401,
    unknown_key_status: isAlways200 ? undefined : 401,
    unknown_path_status: isAlways200 ? undefined : 404,
    not_found_status: isAlways200 ? undefined : 404,
    invalid_status: isAlways200 ? undefined : vendor.invalidStatus,
    taken_status: isAlways200 ? undefined : vendor.takenStatus,
    group_create_requires: "name",
    group_update_requires: requires,
    omitted_in_update: omitted,
    group_name_max: "over 1000",
    group_name_unique: vendor.uniqueNames !== "none",
    group_name_spaces: vendor.trims ? "trimmed" : "kept",
    birthday_message_max: "over 5000",
    birthday_message_empty: vendor.emptyIsNull ? "null" : "kept",
    birthday_message_spaces: vendor.trims ? "trimmed" : "kept",
    default_send_birthday: false,
    default_send_holiday: null,
    default_birthday_message: null,
    update_fields_in_create: "ignored",
    unknown_fields: "ignored",
    types: "strict",
    null_in_update: vendor.nulls === "refused" ? "refused" : "cleared",
    sender_id_means: references[vendor.senderIdIs],
    per_page_default: vendor.defaultPerPage,
    per_page_max: vendor.maxPerPage,
    per_page_over_max: vendor.overMaxPerPage,
    per_page_invalid: "refused",
    page_parameter: vendor.page,
    past_the_end: vendor.page === "honoured" ? vendor.pastTheEnd : undefined,
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

/** Without a default page size over the largest one, for which a vendor could refuse the list itself. */
const anyVendor = anySituation.map(({ switches, ...situation }) => {
  const complete: Switches = { ...plain, ...switches };
  const defaultPerPage = Math.min(complete.defaultPerPage, complete.maxPerPage);
  return { ...situation, switches: { ...complete, defaultPerPage } };
});

test("of any vendor, no verdict is wrong, and its records stay as they are", timeout, () =>
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
        const args = ["probe", "--scratch-group", "--yes", "--json"];
        const run = await runProbe(args, { baseUrl, key, clock });
        const seen = { switches: unusual(switches), requests: vendor.requests, ...run };
        const context = inspect(seen, { depth: 4, maxArrayLength: 200 });
        // Without the first list there is nothing to probe.
        expect([0, 8, 10], context).toContain(run.exitCode);
        const ids = new Set(before.groups.map(({ id }) => id));
        const after = stateOf(vendor.records);
        expect(after.senderIds, context).toStrictEqual(before.senderIds);
        const old = after.groups.filter(({ id }) => ids.has(id));
        expect(old, context).toStrictEqual(before.groups);
        // What is left is reported.
        const left = after.groups.filter(({ id }) => !ids.has(id)).map(({ name }) => name);
        const reported = run.data?.leftovers.map(({ name }) => name) ?? [];
        expect(reported, context).toStrictEqual(expect.arrayContaining(left));
        expect(wrongIn(run, truthOf(switches)), context).toStrictEqual([]);
      } finally {
        await vendor.close();
      }
    }),
    { ...cases(60), includeErrorInReport: true },
  ),
);
