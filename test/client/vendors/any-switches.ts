import { array, boolean, constant, constantFrom, integer, oneof, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import { choices, plain, type Failure, type Switches } from "./switches.ts";
import type { Situation } from "./judge.ts";

const failure: Arbitrary<Failure> = record({
  kind: constantFrom<Failure["kind"][]>(
    "gateway page",
    "gateway gave up",
    "connection lost",
    "empty response",
    "own refusal",
  ),
  when: constantFrom<Failure["when"][]>("before", "after"),
  on: constantFrom<Failure["on"][]>("POST", "PUT", "DELETE", "GET", "writes"),
  nth: integer({ min: 1, max: 4 }),
  repeats: boolean(),
  // A service that sends a success status has done the work.
}).map((failure) => (failure.kind === "empty response" ? { ...failure, when: "after" } : failure));

const header = constantFrom("Retry-After", "Retry-After date", "X-RateLimit", "none" as const);

const chosen = Object.entries(choices).map(([name, values]) => [
  name,
  constantFrom<unknown[]>(...values),
]);

const switches = record({
  ...(Object.fromEntries(chosen) as Record<string, Arbitrary<unknown>>),
  failures: oneof(
    { withCrossShrink: true },
    constant([]),
    array(failure, { minLength: 1, maxLength: 2 }),
  ),
  rate: oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: constant(undefined) },
    record({ requests: integer({ min: 2, max: 10 }), window: constant(1000), header }),
  ),
}) as unknown as Arbitrary<Switches>;

/** Any service that follows the specification, with few or many records. */
export const anySituation: Arbitrary<Required<Situation>> = record({
  switches,
  groups: constantFrom(4, 12, 30, 60),
  hasNamesakes: boolean(),
});

/** Returns the switches that differ from the plain service, for a report. */
export function unusual(switches: Partial<Switches>): Partial<Switches> {
  const usual: Readonly<Record<string, unknown>> = { ...plain };
  const isUsual = (name: string, value: unknown): boolean =>
    Array.isArray(value) ? value.length === 0 : usual[name] === value;
  return Object.fromEntries(
    Object.entries(switches).filter(([name, value]) => !isUsual(name, value)),
  );
}
