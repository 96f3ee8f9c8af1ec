import { array, bigInt, boolean, constant, constantFrom, integer, oneof, record } from "fast-check";
import type { Arbitrary } from "fast-check";
import { plain, refusalShapes, type Failure, type Switches } from "./switches.ts";
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

const switches: Arbitrary<Switches> = record({
  firstId: constantFrom(1n, 900_000n, 9_007_199_254_740_993n).chain((from) =>
    bigInt({ min: from, max: from + 3n }),
  ),
  idsAsText: often(false, true),
  fractionDigits: constantFrom<Switches["fractionDigits"][]>(6, 0, 3, 9),
  extraFields: boolean(),
  withoutContactsCount: boolean(),
  trims: boolean(),
  emptyIsNull: boolean(),
  uniqueNames: constantFrom<Switches["uniqueNames"][]>("none", "exact", "any case"),
  lookUp: constantFrom<Switches["lookUp"][]>("exact", "any case"),
  namesake: constantFrom<Switches["namesake"][]>("newest", "oldest"),
  uuids: constantFrom(true, false),
  put: constantFrom<Switches["put"][]>(
    "keeps omitted",
    "resets omitted",
    "needs name",
    "needs every field",
  ),
  nulls: constantFrom<Switches["nulls"][]>("stored", "refused"),
  senderIdIs: constantFrom<Switches["senderIdIs"][]>("a name or id", "a name", "an id", "any text"),
  page: constantFrom<Switches["page"][]>("honoured", "ignored", "refused"),
  pastTheEnd: constantFrom<Switches["pastTheEnd"][]>("empty", "refused"),
  defaultPerPage: constantFrom(20, 2, 15),
  maxPerPage: constantFrom(1000, 10, 50, 200),
  overMaxPerPage: constantFrom<Switches["overMaxPerPage"][]>("capped", "refused"),
  order: constantFrom<Switches["order"][]>("descending", "ascending"),
  withoutTotal: often(false, true),
  totalShortBy: often(0, 1, 7),
  totalLag: often(0, 1, 3),
  listLag: often(0, 1, 3),
  pagesOverlap: boolean(),
  createStatus: constantFrom<Switches["createStatus"][]>(201, 200),
  deleteResponse: constantFrom<Switches["deleteResponse"][]>("envelope", "no content"),
  unknownDelete: constantFrom<Switches["unknownDelete"][]>("refused", "done"),
  refusals: constantFrom<Switches["refusals"][]>("by status", "always 200"),
  invalidStatus: constantFrom<Switches["invalidStatus"][]>(422, 400),
  takenStatus: constantFrom<Switches["takenStatus"][]>(409, 400, 422),
  deletedStatus: constantFrom<Switches["deletedStatus"][]>(404, 410),
  refusalShape: constantFrom(...refusalShapes),
  htmlNotFound: boolean(),
  redirectsBrowsers: boolean(),
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
});

/** Returns the usual value in half of all cases. */
function often<Value>(usual: Value, ...others: readonly Value[]): Arbitrary<Value> {
  return oneof({ withCrossShrink: true }, constant(usual), constantFrom(...others));
}

/** Any service that follows the specification, with few or many records. */
export const anySituation: Arbitrary<Situation> = record({
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
