import type { Capabilities } from "../../command/capabilities.ts";
import { mustConfirm, wholeNumber } from "../../command/arguments.ts";
import { defineCommand, flag, optional } from "../../command/define-command.ts";
import type { JournalEntry } from "../../config/journal.ts";
import { SendctlError } from "../../core/error.ts";
import { cut, safeText } from "../../core/text.ts";
import { applyDesired } from "../manifest/apply.ts";
import type { Desired } from "../manifest/desired-state.ts";
import { inForce, isUndone, problemOf } from "./net-changes.ts";
import { createUndoPlanner, undoneBy } from "./undo-plan.ts";

/** Returns the id by which users name an entry, which it keeps when others follow. */
export function shownId({ id }: JournalEntry): string {
  return id.replace(/^.*?-/, "").slice(0, 8);
}

/**
 * Returns the number of the entry with this id or number.
 *
 * @throws SendctlError "not_found" without such an entry, "usage" for what is neither an id nor a number
 */
export function numberOf(
  entries: readonly JournalEntry[],
  given: string,
  { line }: Pick<Capabilities["ask"], "line">,
): number {
  const key = given.toLowerCase();
  const found = entries.findIndex((entry) => shownId(entry) === key) + 1;
  const number = found > 0 || /[a-z]/.test(key) ? found : wholeNumber(given, "N", 1)!;
  if (number > 0 && number <= entries.length) return number;
  const message = `the history of this target has no entry ${given}`;
  throw new SendctlError("not_found", message, { hint: line(["history"]) });
}

/** Returns whether a plain `sendctl undo` may take an entry. */
function isOpen(entry: JournalEntry): boolean {
  return entry.undoes === undefined && !isUndone(entry);
}

export const undo = defineCommand({
  path: "undo",
  changes: "service",
  description:
    "Undo the newest command that has not been undone, or entry N of the history (its number or id), after confirmation. Restores the old values of updated fields, recreates deleted records, and deletes created ones unless they have contacts. If a record has changed since, nothing is undone. A recreated record has a new id and uuid, and loses its contacts and its approval.",
  args: { n: optional("number or id of the entry, as `sendctl history` shows it") },
  options: { yes: flag("-y, --yes", "undo without confirmation") },
  exitCodes: [
    [2, "the command cannot be undone"],
    [4, "no such entry, or nothing to undo"],
    [12, "a record has changed since; nothing was undone"],
  ],
  examples: ["sendctl undo --dry-run", "sendctl undo 3 --yes"],
  async run(context, { n }, { yes }) {
    const { target, output, config } = context;
    output.supports("an undo", ["table", "json", "jsonl", "yaml"]);
    const journal = await target.journal();
    const entries = inForce(await journal.entries());
    const given = n === undefined ? undefined : numberOf(entries, n, context.ask);
    const newest = entries.findIndex(isOpen);
    if (given === undefined && newest < 0) {
      throw new SendctlError("not_found", "nothing to undo with this key", {
        hint: context.ask.line(["history"]),
      });
    }
    const number = given ?? newest + 1;
    const entry = entries[number - 1]!;
    const { line } = context.ask;
    const shows = line(["history", String(number)]);
    const printsBefore = entry.steps.some(({ before }) => before !== null)
      ? `${line(["history", String(number), "-o", "yaml"])} prints the records as they were before`
      : shows;
    const why = isUndone(entry) ? "it has already been undone" : problemOf(entry);
    if (why !== undefined) {
      const message = `entry ${number} (${entry.command}) cannot be undone: ${why}`;
      const next =
        entries.findIndex((other) => isOpen(other) && problemOf(other) === undefined) + 1;
      const isNext = given === undefined && next > 0;
      const hasRecords = entry.steps.some(
        ({ problem, before }) => problem === "unknown" && before !== null,
      );
      const hint = hasRecords
        ? printsBefore
        : isNext
          ? `to undo ${cut(entries[next - 1]!.command, 80)}: ${line(["undo", String(next)])}`
          : shows;
      throw new SendctlError("usage", message, { hint });
    }
    const mustAsk = !config.settings.dryRun && mustConfirm(context, yes, "undo");
    journal.takeBack(entry.id);
    await output.say(safeText(`Undoing: ${entry.command}`));
    const isRemote = config.settings.baseUrl !== undefined;
    const undos = entries.filter(({ undoes }) => undoes === entry.id);
    const desired: Desired = {
      manifest: { senderIds: undefined, groups: undefined },
      options: { prune: false, replace: false, resendSenderId: false },
      undo: {
        planner: (memory) => createUndoPlanner(entry, printsBefore, undos, memory, isRemote),
        done: (step) => journal.tookBack(undoneBy(step)),
      },
    };
    return applyDesired(context, desired, Infinity, mustAsk);
  },
});
