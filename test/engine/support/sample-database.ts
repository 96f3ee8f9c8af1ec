import { createEngine } from "../../../src/engine/engine.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { defaultIntegration } from "../../../src/engine/store/stored.ts";
import { call, newFolder, someTime, withEngine } from "./engine-fixtures.ts";

/** Number of records of each kind: enough for tables and indexes of several pages each. */
const records = 300;

export interface Sample {
  /** A closed database that contains the sample. */
  readonly file: string;
  /**
   * Reads every record from a copy of it. Returns each response as text, always in the same order,
   * or the error in its place. If the file cannot be opened, that error is the only result.
   */
  readonly readAll: (copy: string) => Promise<readonly unknown[]>;
}

/**
 * Creates the sample in a folder of the running test.
 *
 * @param step fetches every nth record; the lists contain all records in any case
 */
export async function createSample(step: number): Promise<Sample> {
  const { file } = await newFolder();
  const uuids = await withEngine(file, async (engine) => {
    const uuids: string[] = [];
    for (let n = 1; n <= records; n += 1) {
      const name = `Number ${n}`;
      await engine["sender-id.create"]({ body: { name, purpose: `Purpose ${n}` } });
      const body = { name, birthday_message: `Happy birthday ${n}` };
      const { envelope } = await engine["group.create"]({ body });
      uuids.push((envelope!.data as { uuid: string }).uuid);
    }
    return uuids;
  });

  const fetches = uuids.flatMap((uuid, index) =>
    index % step > 0
      ? []
      : [
          ["sender-id.fetch", { path: { name: `Number ${index + 1}` } }] as const,
          ["group.fetch", { path: { id: String(index + 1) } }] as const,
          ["group.fetch", { path: { id: uuid } }] as const,
        ],
  );
  const everything = { query: { perPage: 1000 } };
  const reads = [
    ["sender-id.list", everything] as const,
    ["group.list", everything] as const,
    ...fetches,
  ];

  async function readAll(copy: string): Promise<readonly unknown[]> {
    const results: unknown[] = [];
    try {
      const store = openSqliteStore(copy, () => someTime);
      const engine = createEngine(store, defaultIntegration);
      for (const [operation, input] of reads) {
        const reply = call(engine, operation, input);
        results.push(await reply.then(({ text }) => text).catch((error: unknown) => error));
      }
      await store.close();
    } catch (error) {
      results.push(error);
    }
    return results;
  }

  return { file, readAll };
}
