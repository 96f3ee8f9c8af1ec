import { defineCommand } from "../../../cli/define-command.ts";
import { exitCodes } from "../../../output/exit-codes.ts";
import { safeText } from "../../../output/safe-text.ts";
import { checkView, notCreated } from "./views.ts";

export const localCheck = defineCommand({
  path: "local check",
  summary: "Check the integrity of the database",
  description:
    "Check the integrity of the embedded database: its schema, pages, indexes, references, totals and clock. Other processes can write meanwhile; nothing is changed.",
  examples: ["sendctl local check"],
  async run({ local, output }) {
    const report = await (await local.database("read")).check();
    const { database, exists, checks, problem_count, problems, hint } = report;
    const message = exists ? summary(database, problem_count) : notCreated;
    // One row per problem, or one per check without problems.
    const items = checks.flatMap((name) => {
      const found = problems.filter((problem) => problem.check === name);
      if (found.length === 0) return [{ check: name, status: "ok", detail: "no problems" }];
      return found.map(({ detail }) => ({ check: name, status: "error", detail }));
    });
    const isOk = problem_count === 0;
    await output.report({
      message,
      data: { database, exists, problem_count, problems },
      ...(isOk ? {} : { error: { kind: "database", hint } }),
      ...(exists ? { records: { items, view: checkView } } : {}),
    });
    if (isOk) await output.say(safeText(message));
    else await output.complain(`${safeText(message)}\nhint: ${hint}`);
    return isOk ? exitCodes.done : exitCodes.database;
  },
});

function summary(database: string, problems: number): string {
  if (problems === 0) return "No problems found";
  const count = problems === 1 ? "1 problem" : `${problems} problems`;
  return `the database ${database} has ${count}`;
}
