import { switches } from "../contract/behaviour.ts";
import { clear, Unclear, type Experiment } from "./experiment.ts";
import { hidden } from "./findings.ts";
import { groupList, listPageOf, whyUnclear, type Outcome } from "./outcome.ts";

/** The result of trying a size: accepted, refused, or accepted with another effect, which is described. */
export type Tried = "accepted" | "refused" | { readonly odd: string };

/** The largest size, or a description if no size from the smallest to the largest one is the limit. */
type Largest = { readonly value: number } | { readonly odd: string };

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
  if ("odd" in found) return found;
  if (found.value < min) return { odd: `less than ${min}` };
  return found.value > max ? { odd: `over ${max}` } : found;
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
