import { Inconclusive, conclusive, type Bench, type Experiment } from "./experiment.ts";
import { ambiguous, hidden, type Verdict } from "./findings.ts";
import {
  explainInconclusive,
  groupList,
  groupPath,
  idOf,
  listPageOf,
  senderIdList,
  type ListPage,
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

/** Requests without a key, with an unknown one, and for unknown paths and records. */
const refusedRequests: Experiment = {
  finds: ["no_key_status", "unknown_key_status"],
  run: async ({ session, refusals, target: { isHttp, hex } }) => {
    const name = `sendctl-probe-${hex(12)}`;
    // No group is likely to have this id, which fits into 31 bits.
    const id = String(2_100_000_000 + Number.parseInt(hex(6), 16));
    const requests = [
      ["no_key", groupList, "none"],
      ["unknown_key", groupList, "unknown"],
      ["unknown_path", `/v1/${name}`, "own"],
      ["not_found", groupPath(id), "own"],
      ["not_found", `${senderIdList}/${name}`, "own"],
    ] as const;
    for (const [cause, path, key] of requests) {
      if (isHttp || key === "own") refusals.record(cause, await session.get(path, key));
    }
    const unchecked = hidden("only `serve` checks keys");
    return isHttp ? {} : { no_key_status: unchecked, unknown_key_status: unchecked };
  },
};

/** What a service does with page numbers. Needs a list with two records. */
export const pageNumbers: Experiment = {
  finds: ["page_parameter", "past_the_end"],
  run: async ({ session, refusals, groups, senderIds }) => {
    const lists = [
      { path: groupList, records: groups.records },
      { path: senderIdList, records: senderIds },
    ];
    const list = lists.find(({ records }) => records.length >= 2);
    if (list === undefined) {
      const none = hidden("no list shows two records; --scratch-group creates them");
      return { page_parameter: none, past_the_end: none };
    }
    const onePerPage = `${list.path}?perPage=1`;
    const past_the_end = hidden("without page numbers, no page is past the end");
    const outcome = conclusive(await session.get(`${onePerPage}&page=2`));
    if (outcome.kind === "refused") {
      const alone = await session.get(onePerPage);
      if (alone.kind !== "success")
        throw new Inconclusive(`perPage=1: ${explainInconclusive(alone)}`);
      refusals.record("field", outcome);
      return { page_parameter: { value: "refused" }, past_the_end };
    }
    const page = listPageOf(outcome);
    if (page === undefined) throw new Inconclusive(explainInconclusive(outcome));
    const [first, second] = list.records.map(idOf);
    const [shown, ...further] = page.records.map(idOf);
    if (page.current === 1 && shown === first && first !== second) {
      return { page_parameter: { value: "ignored" }, past_the_end };
    }
    if (page.current !== 2 || shown !== second || further.length > 0 || first === second) {
      throw new Inconclusive("ambiguous: the second page does not show the second record");
    }
    return {
      page_parameter: { value: "honoured" },
      past_the_end: await pastTheEnd(session, onePerPage, page),
    };
  },
};

async function pastTheEnd(
  session: Bench["session"],
  path: string,
  { last, total }: ListPage,
): Promise<Verdict> {
  const end = Math.max(last ?? 0, total ?? 0);
  if (end === 0) return { unknown: "the list shows neither last_page nor total" };
  const outcome = await session.get(`${path}&page=${end + 1000}`);
  if (outcome.kind === "refused") return { value: "refused" };
  const page = listPageOf(outcome);
  if (page === undefined) return { unknown: explainInconclusive(outcome) };
  if (page.records.length === 0) return { value: "empty" };
  return page.current !== undefined && page.current === page.last
    ? { value: "last" }
    : ambiguous("records, but not of the last page");
}

/**
 * Returns the largest size that a service accepts.
 *
 * @param low a size that is accepted, or below all others @param high a size that is refused, or above all others
 * @param first sizes to try before all others
 */
export async function findLargest(
  low: number,
  high: number,
  isAccepted: (size: number) => Promise<boolean>,
  first: readonly number[] = [],
): Promise<number> {
  let [accepted, refused] = [low, high];
  while (refused - accepted > 1) {
    const isOpen = (size: number): boolean => size > accepted && size < refused;
    const size = first.find(isOpen) ?? Math.floor((accepted + refused) / 2);
    if (await isAccepted(size)) accepted = size;
    else refused = size;
  }
  return accepted;
}

/** What a service does with a page size of 0. */
const invalidSize: Experiment = {
  finds: ["per_page_invalid"],
  run: async (bench) => {
    const size = await appliedSize(bench, 0);
    if (size === undefined) return { per_page_invalid: { value: "refused" } };
    const usual = bench.findings.valueOf("per_page_default");
    if (usual === undefined) throw new Inconclusive("the default page size is unknown");
    return { per_page_invalid: { value: size === usual ? "default" : `a page size of ${size}` } };
  },
};

/** The largest page size of the engine. */
const engineMax = switches.per_page_max.max;

/** The largest page size, and what a service does with a larger one. */
const largestSize: Experiment = {
  finds: ["per_page_max", "per_page_over_max"],
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
      const largest = await findLargest(usual, engineMax, isAccepted);
      return { per_page_max: { value: largest }, per_page_over_max: { value: "refused" } };
    }
    const over = await appliedSize(bench, engineMax + 1);
    if (over === undefined && atMax === engineMax) {
      return { per_page_max: { value: atMax }, per_page_over_max: { value: "refused" } };
    }
    if (over === atMax && atMax >= 1 && atMax <= engineMax) {
      // A service that ignores perPage looks the same.
      const isCap = atMax !== usual || (atMax > 1 && (await appliedSize(bench, 1)) === 1);
      if (!isCap) throw new Inconclusive("ambiguous: perPage seems ignored");
      return { per_page_max: { value: atMax }, per_page_over_max: { value: "capped" } };
    }
    if (atMax !== engineMax || over !== engineMax + 1) {
      throw new Inconclusive(`ambiguous: page sizes of ${atMax} and ${over ?? "none"}`);
    }
    return {
      per_page_max: { value: `over ${engineMax}` },
      per_page_over_max: hidden("the largest page size is unknown"),
    };
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
  invalidSize,
  pageNumbers,
  largestSize,
];
