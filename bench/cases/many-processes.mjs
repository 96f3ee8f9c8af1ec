import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Sqlite } from "../../test/support/sqlite.mjs";
import { alternate, bareNode, program } from "../processes.mjs";

const processes = 50;

/** Starts processes simultaneously on a database that does not exist. */
export async function* manyProcesses({ env, folder, runs }) {
  let errors = 0;
  let round = 0;
  const together = async (argv) => {
    const begun = performance.now();
    const codes = await Promise.all(
      Array.from({ length: processes }, async () => {
        const [code] = await once(spawn(process.execPath, argv, { env, stdio: "ignore" }), "exit");
        return code;
      }),
    );
    errors += codes.filter((code) => code !== 0).length;
    return performance.now() - begun;
  };
  const ours = async () => {
    const file = join(folder, `together-${(round += 1)}.db`);
    const taken = await together([program, "group", "create", "Bench", "--database", file]);
    const database = new Sqlite(file, { readonly: true });
    const count = database.prepare("SELECT count(*) FROM contact_group").pluck().get();
    database.close();
    if (count !== processes) errors += 1;
    return taken;
  };
  const base = () => together(bareNode);
  const medians = await alternate({ ours, base }, { runs: Math.min(runs, 7), warmUps: 1 });
  const what = `${processes} processes creating database and record at once`;
  yield {
    what,
    ...medians,
    against: `${processes} node -e 0`,
    unit: "ms",
    target: { max: 2.5 },
  };
  yield {
    what: "records that failed or were lost",
    ours: errors,
    unit: "errors",
    target: { max: 0 },
  };
}
