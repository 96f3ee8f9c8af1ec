import type { PageQuery, Reply } from "../../src/contract/service.ts";
import { SendctlError } from "../../src/contract/error.ts";
import type { Collector, WholeRead } from "../../src/output/output.ts";
import type { Line } from "../../src/output/replies.ts";
import { eachRecord } from "../../src/service/stream-list.ts";
import { wholeList } from "../../src/service/whole-list.ts";

type List = (query: PageQuery) => Promise<Reply>;

/** Reads a list in one reply. @returns its ids; undefined if the list is incomplete */
function readWhole(list: List, perPage: number): Promise<string[] | undefined> {
  return unlessIncomplete(async () => {
    const { lines } = await collected(list, perPage);
    return lines.map(({ record }) => String(record["id"]));
  });
}

/** Reads a list that passes its records on as they arrive. @returns as `readWhole` */
function readPassed(list: List, perPage: number): Promise<string[] | undefined> {
  return unlessIncomplete(async () => {
    const { lines } = await collected(list, perPage, 1);
    return lines.map(({ record }) => String(record["id"]));
  });
}

/** Collects a whole list. @param maxHeld see `wholeList` */
export async function collected(
  list: List,
  perPage: number,
  maxHeld?: number,
): Promise<{ readonly lines: readonly Line[]; readonly read: WholeRead }> {
  let lines: Line[] = [];
  const collector: Collector = {
    add: async (some) => void lines.push(...some),
    clear: () => (lines = []),
  };
  const read = await wholeList(list, perPage, collector, maxHeld);
  return { lines, read };
}

/** Streams a list. @returns as `readWhole` */
function readStream(list: List, perPage: number): Promise<string[] | undefined> {
  return unlessIncomplete(async () => {
    const ids: string[] = [];
    await eachRecord(
      // The page size of a stream is not chosen by its caller, but refused by a service.
      async (query) => list({ ...query, perPage }),
      ({ id }) => ids.push(String(id)),
    );
    return ids;
  });
}

export const readers = [readWhole, readPassed, readStream] as const;

async function unlessIncomplete(read: () => Promise<string[]>): Promise<string[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "unexpected_response") return undefined;
    throw error;
  }
}
