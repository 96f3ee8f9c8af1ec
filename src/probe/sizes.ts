import { switches } from "../contract/behaviour.ts";
import { clear, Unclear, type Experiment } from "./experiment.ts";
import { hidden } from "./findings.ts";
import { groupList, listPageOf, whyUnclear, type Outcome } from "./outcome.ts";

/** The result of trying a size: accepted, refused, or accepted with another effect, which is described. */
export type Tried = "accepted" | "refused" | { readonly odd: string };

/** The largest size, or a description if no size from the smallest to the largest one is the limit. */
type Largest = { readonly value: number } | { readonly odd: string };

interface Limits {
  readonly min: number;
  readonly max: number;
  /** Tried first. */
  readonly default: number;
  readonly attempt: (size: number) => Promise<Tried>;
  /** Returns the texts of refusals, which may name the limit. */
  readonly texts: () => readonly string[];
}

/** Finds the largest size that a service accepts, from `min` to `max`. */
export async function findLargest(limits: Limits): Promise<Largest> {
  const { min, max, default: usual, attempt } = limits;
  const atUsual = await attempt(usual);
  if (atUsual === "refused") {
    const atMin = await attempt(min);
    if (atMin === "refused") return { odd: `less than ${min}` };
    return atMin === "accepted" ? narrow(min, usual, limits) : atMin;
  }
  if (atUsual !== "accepted") return atUsual;
  const above = await attempt(usual + 1);
  if (above === "refused") return { value: usual };
  const beyond = above === "accepted" ? await attempt(max + 1) : above;
  if (beyond === "refused") return narrow(usual + 1, max + 1, limits);
  return beyond === "accepted" ? { odd: `over ${max}` } : beyond;
}

/** Narrows a limit down. @param accepted a size that is accepted @param refused a larger size that is refused */
async function narrow(
  accepted: number,
  refused: number,
  { attempt, texts }: Pick<Limits, "attempt" | "texts">,
): Promise<Largest> {
  let [low, high] = [accepted, refused];
  const tried = new Set<number>();
  for (; high - low > 1;) {
    const isNew = (size: number): boolean => size > low && size < high && !tried.has(size);
    const hints = texts().flatMap((text) =>
      (text.slice(0, 2000).match(/\d{1,5}/g) ?? []).map(Number),
    );
    const size =
      hints.flatMap((hint) => [hint, hint + 1]).find(isNew) ?? Math.floor((low + high) / 2);
    tried.add(size);
    const result = await attempt(size);
    if (result === "accepted") low = size;
    else if (result === "refused") high = size;
    else return result;
  }
  return { value: low };
}

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

/** The largest page size of the engine. */
const engineMax = switches.per_page_max.max;

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
      const texts = (): readonly string[] => evidence.textsOf(label);
      const max = await narrow(usual, engineMax, { attempt, texts });
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
