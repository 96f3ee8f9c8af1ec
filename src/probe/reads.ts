import { Inconclusive, conclusive, type Bench, type Experiment } from "./experiment.ts";
import { ambiguous, hidden, type Verdict, type Verdicts } from "./findings.ts";
import {
  explainInconclusive,
  groupList,
  groupPath,
  idOf,
  listPageOf,
  senderIdList,
  type Fields,
  type ListPage,
  type Outcome,
} from "./outcome.ts";
import { switches } from "../contract/behaviour.ts";

/** The page size if none is requested. */
const defaultSize: Experiment = {
  finds: ["per_page_default"],
  how: "the first page without perPage",
  run: async ({ groups: { records, perPage, total, last } }) => {
    const size = perPage ?? ((last ?? 1) > 1 ? records.length : undefined);
    if (size === undefined) throw new Inconclusive("the first page shows no page size");
    const isCut = (last ?? 1) > 1 || (total ?? 0) > records.length;
    const isShort = isCut && records.length < size && (total ?? 0) >= size;
    const isOdd = records.length > size || isShort;
    const sizes = `per_page ${size}, but ${records.length} records`;
    return { per_page_default: isOdd ? ambiguous(sizes) : { value: size } };
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
      if (isHttp || key === "own") evidence.record(cause, label, await session.get(path, key));
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
    const outcome = conclusive(await session.get(`${onePerPage}&page=2`));
    if (outcome.kind === "refused") {
      const alone = await session.get(onePerPage);
      if (alone.kind !== "success")
        throw new Inconclusive(`perPage=1: ${explainInconclusive(alone)}`);
      evidence.record("other", "a page number", outcome, true);
      return { page_parameter: { value: "refused" }, past_the_end: withoutNumbers };
    }
    const page = listPageOf(outcome);
    if (page === undefined) throw new Inconclusive(explainInconclusive(outcome));
    const [first, second] = list.records.map(idOf);
    const shown = page.records.map(idOf);
    if (page.current === 1 && shown[0] === first && first !== second) {
      return { page_parameter: { value: "ignored" }, past_the_end: withoutNumbers };
    }
    const isSecond = page.current === 2 && shown[0] === second && shown.length === 1;
    if (!isSecond || first === second) {
      throw new Inconclusive("ambiguous: the second page does not show the second record");
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
    evidence.record("other", "a page past the end", outcome);
    return { value: "refused" };
  }
  const page = listPageOf(outcome);
  if (page === undefined) return { unknown: explainInconclusive(outcome) };
  if (page.records.length === 0) return { value: "empty" };
  return page.current !== undefined && page.current === page.last
    ? { value: "last" }
    : ambiguous("records, but not of the last page");
}

/** The result of trying a size: accepted, refused, or accepted with another effect, which is described. */
export type Tried = "accepted" | "refused" | { readonly description: string };

/** The largest size, or a description if no size from the smallest to the largest one is the limit. */
type Largest = { readonly value: number } | { readonly description: string };

interface Trying {
  readonly attempt: (size: number) => Promise<Tried>;
  /** Returns the texts of refusals, which may name the limit. */
  readonly texts: () => readonly string[];
}

interface Limits extends Trying {
  readonly min: number;
  readonly max: number;
  /** Tried first. */
  readonly default: number;
}

/** Finds the largest size that a service accepts, from `min` to `max`. */
export async function findLargest(limits: Limits): Promise<Largest> {
  const { min, max, default: usual } = limits;
  const found = await narrow(min - 1, max + 2, limits, [usual, usual + 1, max + 1]);
  if ("description" in found) return found;
  if (found.value < min) return { description: `less than ${min}` };
  return found.value > max ? { description: `over ${max}` } : found;
}

/**
 * Narrows a limit down.
 *
 * @param low a size that is accepted, or below all others @param high a size that is refused, or above all others
 * @param first sizes to try before all others
 */
async function narrow(
  low: number,
  high: number,
  { attempt, texts }: Trying,
  first: readonly number[] = [],
): Promise<Largest> {
  const tried = new Set<number>();
  for (; high - low > 1;) {
    const isNew = (size: number): boolean => size > low && size < high && !tried.has(size);
    const hints = texts().flatMap((text) =>
      (text.slice(0, 2000).match(/\d{1,5}/g) ?? []).flatMap((hint) => [+hint, +hint + 1]),
    );
    const size = [...first, ...hints].find(isNew) ?? Math.floor((low + high) / 2);
    tried.add(size);
    const result = await attempt(size);
    if (result === "accepted") low = size;
    else if (result === "refused") high = size;
    else return result;
  }
  return { value: low };
}

/** What a service does with a page size of 0. */
const invalidSize: Experiment = {
  finds: ["per_page_invalid"],
  how: "perPage=0",
  run: async ({ session, evidence, findings }) => {
    const outcome = await session.get(`${groupList}?perPage=0`);
    evidence.record("other", "perPage=0", outcome, true);
    if (conclusive(outcome).kind === "refused") return { per_page_invalid: { value: "refused" } };
    const size = sizeOf(outcome);
    const usual = findings.valueOf("per_page_default");
    if (usual === undefined) throw new Inconclusive("the default page size is unknown");
    const description = `a page size of ${size}`;
    return { per_page_invalid: size === usual ? { value: "default" } : { description } };
  },
};

/** The largest page size of the engine. */
const engineMax = switches.per_page_max.max;

/** The largest page size, and what a service does with a larger one. */
const largestSize: Experiment = {
  finds: ["per_page_max", "per_page_over_max"],
  how: "requests with a large perPage",
  run: async ({ session, evidence, findings }) => {
    const label = "a large perPage";
    /** Requests a page size. @returns the size that the service applied; undefined if it refused */
    const request = async (size: number): Promise<number | undefined> => {
      const outcome = await session.get(`${groupList}?perPage=${size}`);
      evidence.record("other", label, outcome, true);
      return conclusive(outcome).kind === "refused" ? undefined : sizeOf(outcome);
    };
    const usual = findings.valueOf("per_page_default");
    const atMax = await request(engineMax);
    if (atMax === undefined) {
      if (typeof usual !== "number") throw new Inconclusive("the default page size is unknown");
      const attempt = async (size: number): Promise<Tried> => {
        const applied = await request(size);
        if (applied === undefined) return "refused";
        if (applied === size) return "accepted";
        throw new Inconclusive(
          `ambiguous: perPage=${size} applied as ${applied}, a larger one refused`,
        );
      };
      const texts = (): readonly string[] => evidence.textsOf(label);
      const max = await narrow(usual, engineMax, { attempt, texts });
      return { per_page_max: max, per_page_over_max: { value: "refused" } };
    }
    if (atMax > engineMax || atMax < 1)
      throw new Inconclusive(`ambiguous: a page size of ${atMax}`);
    const over = await request(engineMax + 1);
    if (over === undefined) {
      if (atMax < engineMax) throw new Inconclusive("ambiguous: capped and refused");
      return { per_page_max: { value: atMax }, per_page_over_max: { value: "refused" } };
    }
    if (over === atMax) {
      // A service that ignores perPage looks the same.
      const isCap = atMax !== usual || (atMax > 1 && (await request(1)) === 1);
      if (!isCap) throw new Inconclusive("ambiguous: perPage seems ignored");
      return { per_page_max: { value: atMax }, per_page_over_max: { value: "capped" } };
    }
    if (over <= engineMax) throw new Inconclusive(`ambiguous: page sizes of ${atMax} and ${over}`);
    return {
      per_page_max: { description: `over ${engineMax}` },
      per_page_over_max: hidden("the largest page size is unknown"),
    };
  },
};

/** Returns the page size that a service applied. @throws Inconclusive if its records contradict it */
function sizeOf(outcome: Outcome): number {
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
