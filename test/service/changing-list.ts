import type { PageQuery, Reply } from "../../src/contract/service.ts";
import { SendctlError } from "../../src/contract/error.ts";
import { eachRecord } from "../../src/service/stream-list.ts";
import { wholeList } from "../../src/service/whole-list.ts";

type List = (query: PageQuery) => Promise<Reply>;

/** Reads a list in one reply. @returns its ids; undefined if the list is incomplete */
function readWhole(list: List, perPage: number): Promise<string[] | undefined> {
  return unlessIncomplete(async () => {
    const { envelope } = await wholeList(list, perPage);
    const { data } = envelope!.data as { data: readonly { readonly id: unknown }[] };
    return data.map(({ id }) => String(id));
  });
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

export const readers = [readWhole, readStream] as const;

async function unlessIncomplete(read: () => Promise<string[]>): Promise<string[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SendctlError && error.kind === "unexpected_response") return undefined;
    throw error;
  }
}
