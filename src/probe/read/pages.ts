import { switches } from "../../contract/behaviour.ts";
import { clear, Unclear, type Bench, type Experiment } from "../experiment.ts";
import { ambiguous, hidden, type Verdict, type Verdicts } from "../findings.ts";
import { narrow, type Tried } from "../largest.ts";
import { groupList, idOf, listPageOf, senderIdList, type ListPage } from "../list-page.ts";
import { whyUnclear, type Outcome } from "../outcome.ts";

/** The largest page size of the engine. */
const engineMax = switches.per_page_max.max;

/** What a service does with a page size of 0. */
export const invalidSize: Experiment = {
  finds: ["per_page_invalid"],
  how: "perPage=0",
  run: async ({ session, evidence, findings }) => {
    const outcome = await session.get(`${groupList}?perPage=0`);
    evidence.note("other", "perPage=0", outcome, true);
    if (clear(outcome).kind === "refused") return { per_page_invalid: { value: "refused" } };
    const size = sizeOf(outcome);
    const usual = findings.valueOf("per_page_default");
    if (usual === undefined) throw new Unclear("the default page size is unknown");
    const odd = `a page size of ${size}`;
    return { per_page_invalid: size === usual ? { value: "default" } : { odd } };
  },
};

/** The largest page size, and what a service does with a larger one. */
export const largestSize: Experiment = {
  finds: ["per_page_max", "per_page_over_max"],
  how: "requests with a large perPage",
  run: async ({ session, evidence, findings }) => {
    const label = "a large perPage";
    /** Requests a page size. @returns the size that the service applied; undefined if it refused */
    const request = async (size: number): Promise<number | undefined> => {
      const outcome = await session.get(`${groupList}?perPage=${size}`);
      evidence.note("other", label, outcome, true);
      return clear(outcome).kind === "refused" ? undefined : sizeOf(outcome);
    };
    const usual = findings.valueOf("per_page_default");
    const atMax = await request(engineMax);
    if (atMax === undefined) {
      if (typeof usual !== "number") throw new Unclear("the default page size is unknown");
      const attempt = async (size: number): Promise<Tried> => {
        const applied = await request(size);
        if (applied === undefined) return "refused";
        if (applied === size) return "accepted";
        throw new Unclear(`ambiguous: perPage=${size} applied as ${applied}, a larger one refused`);
      };
      const max = await narrow(usual, engineMax, {
        attempt,
        texts: () => evidence.textsOf(label),
      });
      return { per_page_max: max, per_page_over_max: { value: "refused" } };
    }
    if (atMax > engineMax || atMax < 1) throw new Unclear(`ambiguous: a page size of ${atMax}`);
    const over = await request(engineMax + 1);
    if (over === undefined) {
      if (atMax < engineMax) throw new Unclear("ambiguous: capped and refused");
      return { per_page_max: { value: atMax }, per_page_over_max: { value: "refused" } };
    }
    if (over === atMax) {
      // A service that ignores perPage looks the same.
      const isCap = atMax !== usual || (atMax > 1 && (await request(1)) === 1);
      if (!isCap) throw new Unclear("ambiguous: perPage seems ignored");
      return { per_page_max: { value: atMax }, per_page_over_max: { value: "capped" } };
    }
    if (over <= engineMax) throw new Unclear(`ambiguous: page sizes of ${atMax} and ${over}`);
    return {
      per_page_max: { odd: `over ${engineMax}` },
      per_page_over_max: hidden("the largest page size is unknown"),
    };
  },
};

/** Returns the page size that a service applied. @throws Unclear if its records contradict it */
function sizeOf(outcome: Outcome): number {
  const page = listPageOf(outcome);
  if (page?.perPage !== undefined && page.records.length <= page.perPage) return page.perPage;
  throw new Unclear(whyUnclear(outcome));
}

/** What a service does with page numbers. Needs a list with two records. */
export const pageNumbers: Experiment = {
  finds: ["page_parameter", "past_the_end"],
  how: "perPage=1 with page numbers",
  run: async (bench) => {
    const list = await pagedList(bench);
    return list === undefined ? {} : numbersOf(bench, list);
  },
};

/** A list with at least two records. */
interface PagedList {
  readonly path: string;
  readonly records: ListPage["records"];
}

/** Returns the list with more records; undefined if neither has two. */
async function pagedList({ session, lists }: Bench): Promise<PagedList | undefined> {
  const { groups, senderIds } = lists;
  const isShort = groups.records.length < 2 && (groups.total ?? 0) >= 2;
  const larger = isShort ? listPageOf(await session.get(`${groupList}?perPage=10`)) : undefined;
  const [longest] = [
    { path: groupList, records: (larger ?? groups).records },
    { path: senderIdList, records: senderIds?.records ?? [] },
  ].toSorted((one, other) => other.records.length - one.records.length);
  return longest!.records.length < 2 ? undefined : longest;
}

async function numbersOf({ session, evidence }: Bench, list: PagedList): Promise<Verdicts> {
  const withoutNumbers = hidden("without page numbers, no page is past the end");
  const outcome = clear(await session.get(`${list.path}?perPage=1&page=2`));
  if (outcome.kind === "refused") {
    const alone = await session.get(`${list.path}?perPage=1`);
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
  return {
    page_parameter: { value: "honoured" },
    past_the_end: await pastTheEnd(session, evidence, list.path, page),
  };
}

async function pastTheEnd(
  session: Bench["session"],
  evidence: Bench["evidence"],
  path: string,
  { last, total }: ListPage,
): Promise<Verdict> {
  const end = Math.max(last ?? 0, total ?? 0);
  if (end === 0) return { unknown: "the list shows neither last_page nor total" };
  const outcome = await session.get(`${path}?perPage=1&page=${end + 1000}`);
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
