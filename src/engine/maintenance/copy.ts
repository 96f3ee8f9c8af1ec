import { createHash, type Hash } from "node:crypto";
import { SendctlError } from "../../core/error.ts";
import {
  copiedTables,
  type CopiedRow,
  type CopiedTable,
  type CopyReader,
  type CopySource,
  type CopyTarget,
} from "./copied-tables.ts";

/** Numbers of copied records, counted in the copy. */
export interface CopyReport {
  readonly from: string;
  readonly to: string;
  readonly integrations: number;
  readonly keys: number;
  readonly sender_ids: number;
  readonly groups: number;
  readonly contacts: number;
}

/** Reports progress. If it throws, the copy ends and the target stays empty. */
export type CopyStep = (done: "copied" | "checked", rows: number) => Promise<void>;

/** Row count of a table and hash of its content. */
interface Sum {
  readonly count: number;
  readonly hash: string;
}

/**
 * Copies a database to an empty one in one transaction. Before the commit, reads the whole copy back and compares
 * it with the source. Ids, uuids, times and keys stay the same, and new ones continue after them.
 *
 * @throws SendctlError "usage" if the target is not empty, "database" if the copy differs from the source or one
 *   of the databases cannot be used
 */
export function copyDatabase(
  source: CopySource,
  target: CopyTarget,
  step: CopyStep,
): Promise<CopyReport> {
  return source.read((reader) =>
    target.write(async (writer) => {
      if (!(await writer.isEmpty())) {
        throw new SendctlError("usage", `the database ${target.name} already contains records`, {
          hint: "copy to a new database, or reset that one first (sendctl local reset)",
        });
      }
      await writer.clear();
      const read = new Map<CopiedTable, Sum>();
      let rows = 0;
      for (const table of copiedTables) {
        read.set(
          table,
          await sumOf(reader, table, async (some) => {
            await writer.put(table, some);
            rows += some.length;
            await step("copied", rows);
          }),
        );
      }
      await writer.finish(await reader.clock());
      rows = 0;
      const counts: number[] = [];
      for (const table of copiedTables) {
        const copy = await sumOf(writer, table, async (some) => {
          rows += some.length;
          await step("checked", rows);
        });
        const original = read.get(table)!;
        if (copy.count !== original.count || copy.hash !== original.hash) {
          throw differs(target.name, table.name, original.count, copy.count);
        }
        counts.push(copy.count);
      }
      const [integrations, keys, sender_ids, groups, contacts] = counts as [
        number,
        number,
        number,
        number,
        number,
      ];
      const [from, to] = [source.name, target.name];
      return { from, to, integrations, keys, sender_ids, groups, contacts };
    }),
  );
}

async function sumOf(
  reader: CopyReader,
  table: CopiedTable,
  each: (rows: readonly CopiedRow[]) => Promise<void>,
): Promise<Sum> {
  const hash: Hash = createHash("sha256");
  let count = 0;
  for await (const rows of reader.rows(table)) {
    for (const row of rows) hash.update(`${JSON.stringify(row)}\n`);
    count += rows.length;
    await each(rows);
  }
  return { count, hash: hash.digest("hex") };
}

function differs(target: string, table: string, original: number, copy: number): SendctlError {
  return new SendctlError(
    "database",
    `the copy in ${target} differs from the original and was undone ` +
      `(${table}: ${original} rows, ${copy} in the copy)`,
    { hint: "try again, and report it if it happens again", database: "copy" },
  );
}
