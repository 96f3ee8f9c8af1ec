import type { Experiment } from "../experiment.ts";
import { idOf, listPageOf, type ListPage } from "../list-page.ts";
import { whyUnclear } from "../outcome.ts";

/** A list with at least two records, as it was read last. */
export interface PagedList {
  readonly path: string;
  readonly first: ListPage;
}

const number = "page_parameter";
const past = "past_the_end";

/** Returns the longest of some lists; undefined if none has two records. */
export function pagedList(lists: readonly PagedList[]): PagedList | undefined {
  const [longest] = lists.toSorted(
    (one, other) => other.first.records.length - one.first.records.length,
  );
  return longest !== undefined && longest.first.records.length >= 2 ? longest : undefined;
}

/** Finds out what a service does with page numbers. */
export async function probePageNumbers(experiment: Experiment, list: PagedList): Promise<void> {
  const { session, findings, evidence } = experiment;
  const how = "perPage=1&page=2";
  const outcome = await session.get(`${list.path}?${how}`);
  const [one, two] = list.first.records.map(idOf);
  if (outcome.kind === "refused") {
    const alone = await session.get(`${list.path}?perPage=1`);
    if (alone.kind !== "success") return unknown(experiment, `perPage=1: ${whyUnclear(alone)}`);
    evidence.note("other", "a page number", outcome, true);
    findings.found(number, "refused", how);
    return findings.unknown(past, withoutNumbers);
  }
  const page = listPageOf(outcome);
  if (page === undefined) return unknown(experiment, whyUnclear(outcome));
  const shown = page.records.map(idOf);
  if (page.current === 1 && shown[0] === one && one !== two) {
    findings.found(number, "ignored", how);
    return findings.unknown(past, withoutNumbers);
  }
  if (page.current !== 2 || shown[0] !== two || shown.length !== 1 || one === two) {
    return unknown(experiment, "ambiguous: the second page does not show the second record");
  }
  findings.found(number, "honoured", how);
  return probePastTheEnd(experiment, list, page);
}

const withoutNumbers = "not observable: without page numbers, no page is past the end";

function unknown({ findings }: Experiment, why: string): void {
  findings.unknown(number, why);
  findings.unknown(past, "page numbers are unknown");
}

async function probePastTheEnd(
  { session, findings, evidence }: Experiment,
  { path }: PagedList,
  { last, total }: ListPage,
): Promise<void> {
  const end = Math.max(last ?? 0, total ?? 0);
  if (end === 0) return findings.unknown(past, "the list shows neither last_page nor total");
  const how = `perPage=1&page=${end + 1000}`;
  const outcome = await session.get(`${path}?${how}`);
  if (outcome.kind === "refused") {
    evidence.note("other", "a page past the end", outcome);
    return findings.found(past, "refused", how);
  }
  const page = listPageOf(outcome);
  if (page === undefined) return findings.unknown(past, whyUnclear(outcome));
  if (page.records.length === 0) return findings.found(past, "empty", how);
  if (page.current !== undefined && page.current === page.last) {
    return findings.found(past, "last", how);
  }
  return findings.unknown(past, "ambiguous: records, but not of the last page");
}
