import { clear, Unclear, type Bench, type Experiment } from "./experiment.ts";
import { ambiguous, hidden, type Verdict } from "./findings.ts";
import {
  groupList,
  idOf,
  listPageOf,
  senderIdList,
  whyUnclear,
  type Fields,
  type ListPage,
} from "./outcome.ts";

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
