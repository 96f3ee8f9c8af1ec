import type { Experiment } from "../experiment.ts";
import { narrow, numbersIn, type Tried } from "../largest.ts";
import { listPageOf, type ListPage } from "../list-page.ts";
import { whyUnclear, type Outcome } from "../outcome.ts";
import { groupList } from "./first-lists.ts";

/** The largest page size of the engine. */
const engineMax = 1000;

/** Finds out what a service does with a perPage of 0. */
export async function probeInvalidSize({ session, findings, evidence }: Experiment): Promise<void> {
  const name = "per_page_invalid";
  const how = "perPage=0";
  const outcome = await session.get(`${groupList}?perPage=0`);
  evidence.note("other", how, outcome, true);
  const size = sizeOf(listPageOf(outcome));
  const usual = findings.valueOf("per_page_default");
  if (outcome.kind === "refused") return findings.found(name, "refused", how);
  if (size === undefined) return findings.unknown(name, whyUnclear(outcome));
  if (usual === undefined) return findings.unknown(name, "the default page size is unknown");
  return size === usual
    ? findings.found(name, "default", how)
    : findings.odd(name, `a page size of ${size}`, how);
}

/** Finds the largest page size, and what a service does with a larger one. */
export async function probeLargestSize(experiment: Experiment): Promise<void> {
  const { session, findings, evidence } = experiment;
  const texts: string[] = [];
  const ask = async (size: number): Promise<Outcome> => {
    const outcome = await session.get(`${groupList}?perPage=${size}`);
    evidence.note("other", `perPage=${size > engineMax ? size : "a large number"}`, outcome, true);
    if (outcome.kind === "refused") texts.push(outcome.text.slice(0, 2000));
    return outcome;
  };
  const unknown = (why: string): void => {
    findings.unknown("per_page_max", why);
    findings.unknown("per_page_over_max", why);
  };
  const atMax = await ask(engineMax);
  if (atMax.kind === "refused") {
    const usual = findings.valueOf("per_page_default");
    if (typeof usual !== "number") return unknown("the default page size is unknown");
    const attempt = async (size: number): Promise<Tried> => {
      const outcome = await ask(size);
      if (outcome.kind === "refused") return "refused";
      const applied = sizeOf(listPageOf(outcome));
      if (applied === size) return "accepted";
      return applied === undefined
        ? { unclear: whyUnclear(outcome) }
        : { cut: `perPage=${engineMax} refused, but perPage=${size} applied as ${applied}` };
    };
    const hints = () => texts.flatMap(numbersIn);
    findings.found("per_page_over_max", "refused", `perPage=${engineMax}`);
    const result = await narrow(usual, engineMax, { attempt, hints });
    if ("largest" in result) findings.found("per_page_max", result.largest, "bounded search");
    else if ("odd" in result) unknown(`ambiguous: ${result.odd}`);
    else findings.unknown("per_page_max", result.unclear);
    return undefined;
  }
  const applied = sizeOf(listPageOf(atMax));
  if (applied === undefined) return unknown(`perPage=${engineMax}: ${whyUnclear(atMax)}`);
  if (applied > engineMax || applied < 1) return unknown(`ambiguous: a page size of ${applied}`);
  const over = await ask(engineMax + 1);
  const overApplied = sizeOf(listPageOf(over));
  const how = `perPage=${engineMax} and perPage=${engineMax + 1}`;
  if (over.kind === "refused") {
    if (applied < engineMax) return unknown("ambiguous: capped and refused");
    findings.found("per_page_max", applied, how);
    return findings.found("per_page_over_max", "refused", how);
  }
  if (overApplied === undefined) return unknown(`perPage=${engineMax + 1}: ${whyUnclear(over)}`);
  if (overApplied === applied) {
    // A service that ignores perPage looks the same.
    if (applied === findings.valueOf("per_page_default"))
      return askSmaller(experiment, applied, how);
    findings.found("per_page_max", applied, how);
    return findings.found("per_page_over_max", "capped", how);
  }
  if (overApplied > engineMax) {
    findings.odd("per_page_max", `over ${engineMax}`, how);
    return findings.unknown(
      "per_page_over_max",
      "not observable: the largest page size is unknown",
    );
  }
  return unknown(`ambiguous: page sizes of ${applied} and ${overApplied}`);
}

/** Tells a page size that is capped to the default from one that is ignored. */
async function askSmaller(
  { session, findings }: Experiment,
  applied: number,
  how: string,
): Promise<void> {
  const smaller = await session.get(`${groupList}?perPage=1`);
  if (applied > 1 && sizeOf(listPageOf(smaller)) === 1) {
    findings.found("per_page_max", applied, how);
    return findings.found("per_page_over_max", "capped", how);
  }
  const why = smaller.kind === "success" ? "ambiguous: perPage seems ignored" : whyUnclear(smaller);
  findings.unknown("per_page_max", why);
  return findings.unknown("per_page_over_max", why);
}

/** Returns the page size that a service applied, unless its records contradict it. */
function sizeOf(page: ListPage | undefined): number | undefined {
  if (page?.perPage === undefined) return undefined;
  return page.records.length > page.perPage ? undefined : page.perPage;
}
