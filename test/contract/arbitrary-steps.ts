import * as fc from "fast-check";
import type { OperationName } from "../../src/contract/operations.ts";
import { rightNames, wrongFlags, wrongNames } from "../engine/support/hostile-texts.ts";
import type { Request } from "./run-steps.ts";

/** Any JSON value. */
const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ stringUnit: "binary", maxDepth: 2 });

/** Any text that a path can contain: at least one character, and no lone surrogates. */
const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });

const orAnything = (common: fc.Arbitrary<unknown>, rare: fc.Arbitrary<unknown> = anyJson) =>
  fc.oneof({ weight: 16, arbitrary: common }, { weight: 1, arbitrary: rare });

/** Mostly one of a few values, so that later steps find what earlier ones created. */
const often = (few: readonly string[], ...rare: readonly fc.Arbitrary<string>[]) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...few) },
    { weight: 1, arbitrary: fc.oneof(...rare) },
  );

const anyName = often(["a/b ?#%", "😀", "1"], fc.constantFrom(...rightNames), anyText);
const anyId = often(["1", "2", "uuid:1", "uuid:2"], fc.constantFrom("3", "uuid:3", "01"), anyText);

const name = orAnything(anyName, fc.oneof(fc.constantFrom(...wrongNames), anyJson));
const purpose = orAnything(fc.constantFrom("Alerts", "a\n\tb", "\u202e"));
const message = orAnything(
  fc.constantFrom(null, "Hi {first_name}", "\u001b[31m", "😀".repeat(400)),
);
const flag = orAnything(fc.boolean(), fc.constantFrom(null, ...wrongFlags));

/** A body with these fields or, rarely, with others or of another type. */
function body(fields: Record<string, fc.Arbitrary<unknown>>, ...required: readonly string[]) {
  const valid = fc.record(fields, { requiredKeys: [...required] });
  const stray = fc.dictionary(fc.oneof(anyText, fc.constantFrom("__proto__", "1")), anyJson);
  const extended = fc
    .tuple(valid, stray)
    .map(([given, more]) =>
      Object.fromEntries([...Object.entries(given), ...Object.entries(more)]),
    );
  return orAnything(valid, fc.oneof(extended, anyJson));
}

const strayNumber = fc.oneof(
  fc.constantFrom<unknown>(0, 1000, 1001, "1", "007", "", " 1", "1e1", "1&page=2", "1,1"),
  fc.double(),
  anyText,
);
const anyNumber = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: strayNumber },
);

function requests(
  weight: number,
  operation: OperationName,
  input: { readonly [Name in keyof Request["input"]]: fc.Arbitrary<unknown> },
) {
  const by = fc.constantFrom("owner", "owner", "owner", "other");
  const arbitrary = fc.record({ by, operation: fc.constant(operation), input: fc.record(input) });
  return { weight, arbitrary: arbitrary as fc.Arbitrary<Request> };
}

const query = fc.record({ perPage: anyNumber, page: anyNumber }, { requiredKeys: [] });
const byName = fc.record({ name: anyName });
const byId = fc.record({ id: anyId });
const atCreation = { name, send_birthday: flag, birthday_message: message };
const changes = {
  ...atCreation,
  send_holiday: flag,
  sender_id: fc.oneof(fc.constant(null), anyName),
};

const anyStep: fc.Arbitrary<Request> = fc.oneof(
  requests(4, "sender-id.create", { body: body({ name, purpose }, "name", "purpose") }),
  requests(2, "sender-id.list", { query }),
  requests(2, "sender-id.fetch", { path: byName }),
  requests(2, "sender-id.delete", { path: byName }),
  requests(4, "group.create", { body: body(atCreation, "name") }),
  requests(2, "group.list", { query }),
  requests(2, "group.fetch", { path: byId }),
  requests(4, "group.update", { path: byId, body: body(changes) }),
  requests(1, "group.delete", { path: byId }),
);

/** Any sequence of operations of either integration with any inputs. */
export const anySteps = fc.array(anyStep, { minLength: 20, maxLength: 40, size: "max" });
