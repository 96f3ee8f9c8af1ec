import { Unclear, type Experiment } from "./experiment.ts";
import { ambiguous, hidden, type Verdicts } from "./findings.ts";
import { groupList, groupPath, idOf, senderIdList, type Fields } from "./outcome.ts";
import { pageNumbers } from "./pages.ts";
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

/** The experiments that change nothing, in the order in which they run. */
export const readExperiments: readonly Experiment[] = [
  defaultSize,
  refusedRequests,
  invalidSize,
  pageNumbers,
  largestSize,
];
