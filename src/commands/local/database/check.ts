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

interface Told {
  readonly check: string;
  readonly status: "ok" | "fault";
  readonly detail: string;
}

/** Says what is wrong with the database, a line a fault; ends as a damaged database ends a command. */
async function check(context: Capabilities): Promise<ExitCode> {
  const report = await (await context.local.database("read")).check();
  const { database, exists, checks, fault_count, faults } = report;
  const message = exists ? summary(database, fault_count) : notMade;
  const told = checks.flatMap((name): Told[] => {
    const found = faults.filter((fault) => fault.check === name);
    if (found.length === 0) return [{ check: name, status: "ok", detail: "whole" }];
    return found.map(({ detail }) => ({ check: name, status: "fault", detail }));
  });
  const status = fault_count === 0;
  await context.output.report({
    message,
    data: { database, exists, fault_count, faults },
    ...(status ? {} : { error: { kind: "database" } }),
    ...(exists ? { records: { items: told, view: checkView } } : {}),
  });
  if (status) await context.output.say(safeText(message));
  else await context.output.complain(safeText(message));
  return status ? exitCodes.done : exitCodes.database;
}

function summary(database: string, faults: number): string {
  if (faults === 0) return "The database is whole";
  const count = faults === 1 ? "1 fault" : `${faults} faults`;
  const fix = "restore it from a backup (sendctl local restore FILE)";
  return `The database ${database} has ${count}: ${fix}`;
}
