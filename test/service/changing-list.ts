import type { PageQuery, Reply } from "../../src/contract/service.ts";
import { SendctlError } from "../../src/core/error.ts";
import type { Line } from "../../src/service/lines.ts";
import { successOf } from "../../src/service/refusals.ts";
import { eachRecord, readList } from "../../src/service/read-list.ts";

type List = (query: PageQuery) => Promise<Reply>;

/** Reads a list that may be read again. @returns its ids; undefined if the list is incomplete */
function readWhole(list: List, perPage: number): Promise<string[] | undefined> {
  return unlessIncomplete(async () => {
    const lines = await collected(list, perPage);
    return lines.map(({ record }) => String(record["id"]));
  });
}

/** Collects a whole list. */
async function collected(list: List, perPage: number): Promise<readonly Line[]> {
  let lines: Line[] = [];
  await readList(
    async (query) => successOf(await list(query)),
    { add: async (some) => void lines.push(...some), clear: () => (lines = []) },
    { perPage },
  );
  return lines;
}

/** Streams a list. @returns as `readWhole` */
function readStream(list: List, perPage: number): Promise<string[] | undefined> {
  return unlessIncomplete(async () => {
    const ids: string[] = [];
    await eachRecord(
      // The page size of a stream is not chosen by its caller, but refused by a service.
      async (query) => successOf(await list({ ...query, perPage })),
      ({ id }) => ids.push(String(id)),
    );
    return ids;
  });
}

export const readers = [readWhole, readStream] as const;

async function unlessIncomplete(read: () => Promise<string[]>): Promise<string[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "unexpected_response") return undefined;
    throw error;
  }
}
