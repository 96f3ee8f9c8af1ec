import { clear, Unclear, type Bench, type Experiment } from "./experiment.ts";
import { ambiguous, hidden, type Verdict, type Verdicts } from "./findings.ts";
import {
  groupList,
  groupPath,
  idOf,
  listPageOf,
  senderIdList,
  whyUnclear,
  type Fields,
  type ListPage,
} from "./outcome.ts";
import { invalidSize, largestSize } from "./sizes.ts";

/** The page size if none is requested. */
const defaultSize: Experiment = {
  finds: ["per_page_default"],
  how: "the first page without perPage",
  run: async ({ groups: { records, perPage, total, last } }) => {
    const size = perPage ?? ((last ?? 1) > 1 ? records.length : undefined);
    if (size === undefined) throw new Unclear("the first page shows no page size");
    const isCut = (last ?? 1) > 1 || (total ?? 0) > records.length;
    const isShort = isCut && records.length < size && (total ?? 0) >= size;
    const isOdd = records.length > size || isShort;
    const what = `per_page ${size}, but ${records.length} records`;
    return { per_page_default: isOdd ? ambiguous(what) : { value: size } };
  },
};

/** Requests without a key, with an unknown one, and for unknown paths and records. The evidence shows what they find. */
const refusedRequests: Experiment = {
  finds: ["no_key_status", "unknown_key_status"],
  how: "requests that a service refuses",
  run: async ({ session, evidence, target, groups }): Promise<Verdicts> => {
    const { isHttp, hex } = target;
    const name = `sendctl-probe-${hex(12)}`;
    const requests = [
      ["no_key", "a request without a key", groupList, "none"],
      ["unknown_key", "a random key", groupList, "unknown"],
      ["unknown_path", "an unknown path", `/v1/${name}`, "own"],
      ["not_found", "an unknown group", groupPath(unusedId(groups.records, hex)), "own"],
      ["not_found", "an unknown sender ID", `${senderIdList}/${name}`, "own"],
    ] as const;
    for (const [cause, label, path, key] of requests) {
      if (isHttp || key === "own") evidence.note(cause, label, await session.get(path, key));
    }
    const unchecked = hidden("only `serve` checks keys");
    return isHttp ? {} : { no_key_status: unchecked, unknown_key_status: unchecked };
  },
};

/** Returns an id that no group is likely to have, and that fits into 31 bits if the others do. */
function unusedId(groups: readonly Fields[], hex: (digits: number) => string): string {
  const ids = groups.map((record) => idOf(record) ?? "");
  const numbers = ids.filter((id) => /^\d{1,30}$/.test(id)).map(BigInt);
  const largest = numbers.reduce((max, id) => (id > max ? id : max), 0n);
  const random = BigInt(Number.parseInt(hex(6), 16));
  const isSmall = largest < 1_000_000_000n;
  return String((isSmall ? 2_100_000_000n : largest + 1_000_000_000n) + random);
}

/** What a service does with page numbers. Needs a list with two records. */
export const pageNumbers: Experiment = {
  finds: ["page_parameter", "past_the_end"],
  how: "perPage=1 with page numbers",
  run: async (bench) => {
    const { session, evidence } = bench;
    const list = await pagedList(bench);
    if (list === undefined) return {};
    const onePerPage = `${list.path}?perPage=1`;
    const withoutNumbers = hidden("without page numbers, no page is past the end");
    const outcome = clear(await session.get(`${onePerPage}&page=2`));
    if (outcome.kind === "refused") {
      const alone = await session.get(onePerPage);
      if (alone.kind !== "success") throw new Unclear(`perPage=1: ${whyUnclear(alone)}`);
      evidence.note("other", "a page number", outcome, true);
      return { page_parameter: { value: "refused" }, past_the_end: withoutNumbers };
    }
    const page = listPageOf(outcome);
    if (page === undefined) throw new Unclear(whyUnclear(outcome));
    const [first, second] = list.records.map(idOf);
    const shown = page.records.map(idOf);
    if (page.current === 1 && shown[0] === first && first !== second) {
      return { page_parameter: { value: "ignored" }, past_the_end: withoutNumbers };
    }
    const isSecond = page.current === 2 && shown[0] === second && shown.length === 1;
    if (!isSecond || first === second) {
      throw new Unclear("ambiguous: the second page does not show the second record");
    }
    const past_the_end = await pastTheEnd(bench, onePerPage, page);
    return { page_parameter: { value: "honoured" }, past_the_end };
  },
};

/** Returns the list with more records; undefined if neither has two. */
async function pagedList({
  session,
  groups,
  senderIds,
}: Bench): Promise<{ readonly path: string; readonly records: readonly Fields[] } | undefined> {
  const isShort = groups.records.length < 2 && (groups.total ?? 0) >= 2;
  const larger = isShort ? listPageOf(await session.get(`${groupList}?perPage=10`)) : undefined;
  const { records } = larger ?? groups;
  const longest =
    records.length >= senderIds.length
      ? { path: groupList, records }
      : { path: senderIdList, records: senderIds };
  return longest.records.length < 2 ? undefined : longest;
}

async function pastTheEnd(
  { session, evidence }: Bench,
  path: string,
  { last, total }: ListPage,
): Promise<Verdict> {
  const end = Math.max(last ?? 0, total ?? 0);
  if (end === 0) return { unknown: "the list shows neither last_page nor total" };
  const outcome = await session.get(`${path}&page=${end + 1000}`);
  if (outcome.kind === "refused") {
    evidence.note("other", "a page past the end", outcome);
    return { value: "refused" };
  }
  const page = listPageOf(outcome);
  if (page === undefined) return { unknown: whyUnclear(outcome) };
  if (page.records.length === 0) return { value: "empty" };
  return page.current !== undefined && page.current === page.last
    ? { value: "last" }
    : ambiguous("records, but not of the last page");
}

/** The experiments that change nothing, in the order in which they run. */
export const readExperiments: readonly Experiment[] = [
  defaultSize,
  refusedRequests,
  invalidSize,
  pageNumbers,
  largestSize,
];
