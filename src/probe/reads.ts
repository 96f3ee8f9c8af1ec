import { Inconclusive, conclusive, type Bench, type Experiment } from "./experiment.ts";
import { ambiguous, hidden } from "./findings.ts";
import {
  explainInconclusive,
  groupList,
  groupPath,
  idOf,
  listPageOf,
  senderIdList,
} from "./outcome.ts";
import { switches } from "../contract/behaviour.ts";

/** The page size if none is requested. */
const defaultSize: Experiment = {
  finds: ["per_page_default"],
  run: async ({ groups: { records, perPage } }) => {
    if (perPage === undefined) throw new Inconclusive("the first page shows no page size");
    const sizes = `per_page ${perPage}, but ${records.length} records`;
    return { per_page_default: records.length > perPage ? ambiguous(sizes) : { value: perPage } };
  },
};

/** Requests for unknown paths and records, and for a page of no size, from whose refusals other switches follow. */
const refusedRequests: Experiment = {
  finds: [],
  run: async ({ session, refusals, target: { hex } }) => {
    const name = `sendctl-probe-${hex(12)}`;
    // No group is likely to have this id, which fits into 31 bits.
    const id = String(2_100_000_000 + Number.parseInt(hex(6), 16));
    refusals.record("unknown_path", await session.get(`/v1/${name}`));
    refusals.record("not_found", await session.get(groupPath(id)));
    refusals.record("not_found", await session.get(`${senderIdList}/${name}`));
    refusals.record("field", await session.get(`${groupList}?perPage=0`));
    return {};
  },
};

/** What a service does with page numbers. Needs a list with two records. */
export const pageNumbers: Experiment = {
  finds: ["page_parameter"],
  run: async ({ session, refusals, groups, senderIds }) => {
    const lists = [
      { path: groupList, records: groups.records },
      { path: senderIdList, records: senderIds },
    ];
    const list = lists.find(({ records }) => records.length >= 2);
    if (list === undefined) {
      return { page_parameter: hidden("no list shows two records; --scratch-group creates them") };
    }
    const onePerPage = `${list.path}?perPage=1`;
    const outcome = conclusive(await session.get(`${onePerPage}&page=2`));
    if (outcome.kind === "refused") {
      const alone = await session.get(onePerPage);
      if (alone.kind !== "success")
        throw new Inconclusive(`perPage=1: ${explainInconclusive(alone)}`);
      refusals.record("field", outcome);
      return { page_parameter: { value: "refused" } };
    }
    const page = listPageOf(outcome);
    if (page === undefined) throw new Inconclusive(explainInconclusive(outcome));
    const [first, second] = list.records.map(idOf);
    const [shown, ...further] = page.records.map(idOf);
    if (page.current === 1 && shown === first && first !== second) {
      return { page_parameter: { value: "ignored" } };
    }
    if (page.current !== 2 || shown !== second || further.length > 0 || first === second) {
      throw new Inconclusive("ambiguous: the second page does not show the second record");
    }
    return { page_parameter: { value: "honoured" } };
  },
};

/**
 * Returns the largest size that a service accepts.
 *
 * @param low a size that is accepted @param high a size that is refused
 */
async function findLargest(
  low: number,
  high: number,
  isAccepted: (size: number) => Promise<boolean>,
): Promise<number> {
  let [accepted, refused] = [low, high];
  while (refused - accepted > 1) {
    const size = Math.floor((accepted + refused) / 2);
    if (await isAccepted(size)) accepted = size;
    else refused = size;
  }
  return accepted;
}

/** The largest page size of the engine. */
const engineMax = switches.per_page_max.max;

/** The largest page size. A service refuses a larger one, or applies the largest instead. */
const largestSize: Experiment = {
  finds: ["per_page_max"],
  run: async (bench) => {
    const usual = bench.findings.valueOf("per_page_default");
    const atMax = await appliedSize(bench, engineMax);
    if (atMax === undefined) {
      if (typeof usual !== "number") throw new Inconclusive("the default page size is unknown");
      const isAccepted = async (size: number): Promise<boolean> => {
        const applied = await appliedSize(bench, size);
        if (applied === undefined || applied === size) return applied === size;
        throw new Inconclusive(`ambiguous: perPage=${size} is applied as ${applied}`);
      };
      return { per_page_max: { value: await findLargest(usual, engineMax, isAccepted) } };
    }
    const over = await appliedSize(bench, engineMax + 1);
    if (over === undefined && atMax === engineMax) return { per_page_max: { value: atMax } };
    if (over === atMax && atMax >= 1 && atMax <= engineMax) {
      // A service that ignores perPage looks the same.
      const isCap = atMax !== usual || (atMax > 1 && (await appliedSize(bench, 1)) === 1);
      if (!isCap) throw new Inconclusive("ambiguous: perPage seems ignored");
      return { per_page_max: { value: atMax } };
    }
    if (atMax !== engineMax || over !== engineMax + 1) {
      throw new Inconclusive(`ambiguous: page sizes of ${atMax} and ${over ?? "none"}`);
    }
    return { per_page_max: { value: `over ${engineMax}` } };
  },
};

/**
 * Requests a page size of the groups.
 *
 * @returns the size that the service applied; undefined if it refused
 * @throws Inconclusive if the response shows neither, or its records contradict it
 */
async function appliedSize(
  { session, refusals }: Bench,
  size: number,
): Promise<number | undefined> {
  const outcome = conclusive(await session.get(`${groupList}?perPage=${size}`));
  if (outcome.kind === "refused") {
    refusals.record("field", outcome);
    return undefined;
  }
  const page = listPageOf(outcome);
  if (page?.perPage !== undefined && page.records.length <= page.perPage) return page.perPage;
  throw new Inconclusive(explainInconclusive(outcome));
}

/** The experiments that change nothing, in the order in which they run. */
export const readExperiments: readonly Experiment[] = [
  defaultSize,
  refusedRequests,
  pageNumbers,
  largestSize,
];
