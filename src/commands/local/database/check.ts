import type { Capabilities } from "../../../cli/capabilities.ts";
import { defineCommand } from "../../../cli/define-command.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { safeText } from "../../../output/safe-text.ts";
import { checkView, notMade } from "./views.ts";

export const localCheck = defineCommand({
  path: "local check",
  summary: "Check the integrity of the database",
  description:
    "Check the integrity of the embedded database: its schema, pages, indexes, references, totals and clock. Other processes may write meanwhile; nothing is changed.",
  examples: ["sendctl local check"],
  async run(context) {
    return check(context);
  },
});

interface CheckResult {
  readonly check: string;
  readonly status: "ok" | "problem";
  readonly detail: string;
}

/** Lists the problems of the database, one per line. Problems end it with the exit code of a damaged database. */
async function check(context: Capabilities): Promise<ExitCode> {
  const report = await (await context.local.database("read")).check();
  const { database, exists, checks, problem_count, problems } = report;
  const message = exists ? summary(database, problem_count) : notMade;
  const results = checks.flatMap((name): CheckResult[] => {
    const found = problems.filter((problem) => problem.check === name);
    if (found.length === 0) return [{ check: name, status: "ok", detail: "whole" }];
    return found.map(({ detail }) => ({ check: name, status: "problem", detail }));
  });
  const status = problem_count === 0;
  await context.output.report({
    message,
    data: { database, exists, problem_count, problems },
    ...(status ? {} : { error: { kind: "database" } }),
    ...(exists ? { records: { items: results, view: checkView } } : {}),
  });
  if (status) await context.output.say(safeText(message));
  else await context.output.complain(safeText(message));
  return status ? exitCodes.done : exitCodes.database;
}

function summary(database: string, problems: number): string {
  if (problems === 0) return "The database is whole";
  const count = problems === 1 ? "1 problem" : `${problems} problems`;
  const fix = "restore it from a backup (sendctl local restore FILE)";
  return `The database ${database} has ${count}: ${fix}`;
}
