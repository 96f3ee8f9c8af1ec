import type { Capabilities } from "../../../cli/capabilities.ts";
import { exitCodes, type ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../contract/error.ts";
import { safeText } from "../../../output/safe-text.ts";
import { doneReply } from "../../../output/replies.ts";
import { checkView, databaseView, heldText, isNothing } from "./views.ts";

interface ResetOptions {
  readonly yes?: boolean;
  readonly keepKeys?: boolean;
}

const notMade = "Not made yet: the first command that needs it makes it";

export async function showInfo(context: Capabilities): Promise<ExitCode> {
  const info = await (await context.local.database()).info();
  const message = info.exists ? "Database retrieved" : notMade;
  return context.output.record(doneReply(message, info), databaseView);
}

interface Told {
  readonly check: string;
  readonly status: "ok" | "fault";
  readonly detail: string;
}

/** Says what is wrong with the database, a line a fault; ends as a damaged database ends a command. */
export async function check(context: Capabilities): Promise<ExitCode> {
  const report = await (await context.local.database()).check();
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
  const mend = "restore it from a backup (sendctl local restore FILE)";
  return `The database ${database} has ${count}: ${mend}`;
}

/** Empties the database, once that is confirmed. */
export async function reset(
  context: Capabilities,
  { yes = false, keepKeys = false }: ResetOptions,
): Promise<ExitCode> {
  const keeping = await context.local.database();
  const info = await keeping.info();
  if (!info.exists)
    return context.output.done(doneReply("Nothing to reset: it is not made yet", null));
  if (!yes && !isNothing(info)) {
    const prompter = context.ask.prompter();
    if (prompter === undefined)
      throw new SendctlError("usage", "A reset has to be confirmed: give --yes");
    const but = keepKeys ? ", but keys and their integrations" : "";
    const what = `all that ${safeText(info.database)} holds${but}: ${heldText(info)}`;
    if (!(await prompter.confirm(`Delete ${what}?`)))
      return context.output.declined("Nothing deleted");
  }
  const held = await keeping.reset(keepKeys);
  if (held === undefined)
    return context.output.done(doneReply("Nothing to reset: it is gone", null));
  await context.output.say(`It held ${heldText(held)}`);
  return context.output.done(doneReply("Database reset", { database: info.database, held }));
}
