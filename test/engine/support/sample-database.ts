import { createEngine } from "../../../src/engine/engine.ts";
import { openSqliteStore } from "../../../src/engine/sqlite/store.ts";
import { defaultIntegration } from "../../../src/engine/store.ts";
import { call, newFolder, someTime, withEngine } from "./engine-fixtures.ts";

/** Some hundreds of records: enough for tables and indexes of several pages each. */
const records = 300;

export interface Sample {
  /** A database that holds the sample, and is closed. */
  readonly file: string;
  /**
   * Reads all that there is from a copy of it: each answer as text, in the same order every time, or what
   * was thrown in its place. Where the file can't be opened, what that threw is the only answer.
   */
  readonly readAll: (copy: string) => Promise<readonly unknown[]>;
}

/**
 * The sample, in a folder of the running test's own.
 *
 * @param step to fetch every record, or one in so many: the lists have them all in any case
 */
export async function makeSample(step = 1): Promise<Sample> {
  const { file } = await newFolder();
  const uuids = await withEngine(file, async (engine) => {
    const made: string[] = [];
    for (let n = 1; n <= records; n += 1) {
      const name = `Number ${n}`;
      await engine["sender-id.create"]({ body: { name, purpose: `Purpose ${n}` } });
      const body = { name, birthday_message: `Happy birthday ${n}` };
      const { envelope } = await engine["group.create"]({ body });
      made.push((envelope!.data as { uuid: string }).uuid);
    }
    return made;
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
    const answers: unknown[] = [];
    try {
      const store = openSqliteStore(copy, () => someTime);
      const engine = createEngine(store, defaultIntegration);
      for (const [operation, input] of reads) {
        const answer = call(engine, operation, input);
        answers.push(await answer.then(({ text }) => text).catch((error: unknown) => error));
      }
      await store.close();
    } catch (error) {
      answers.push(error);
    }
    return answers;
  }

  return { file, readAll };
}
