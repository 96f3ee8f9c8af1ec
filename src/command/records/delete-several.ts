import type { Capabilities } from "../capabilities.ts";
import type { Reply, ShownRecord } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../core/safe-text.ts";
import { targetName } from "../../config/target.ts";
import { confirm, standardInput, unconfirmed, type SeveralOptions } from "../arguments.ts";
import { attemptEach, type Attempt, type NamedRecord } from "./attempt-each.ts";
import type { FetchableKind } from "./fetch-several.ts";
import type { FoundKey } from "./group-names.ts";
import { readKeys, withoutRepeats } from "./read-keys.ts";
import { failureList, showSummary, summaryOf } from "./summary.ts";

/** A kind of record that can be deleted. */
export interface DeletableKind extends FetchableKind {
  readonly delete: (record: FoundKey) => Promise<Reply>;
  /** Returns the description of a record for the question. */
  readonly describe: (key: string, record: ShownRecord) => string;
  /** Returns what else is deleted with this number of records, after a space: ` and its contacts`. */
  readonly consequence: (count: number) => string;
}

type Context = Pick<Capabilities, "ask" | "config" | "input" | "output" | "processes">;

/**
 * Deletes several records after confirmation, and reports which were deleted and which were not. A failure
 * does not stop the others.
 *
 * @throws SendctlError "usage" without `--yes` if prompting is not possible
 */
export async function deleteSeveral(
  context: Context,
  given: readonly string[],
  kind: DeletableKind,
  options: SeveralOptions & { readonly yes?: boolean },
): Promise<ExitCode> {
  const mustAsk = options.yes !== true && !context.config.settings.dryRun;
  // Standard input has the records, so it cannot have the answer.
  if (mustAsk && (given.includes(standardInput) || context.ask.prompter() === undefined)) {
    throw unconfirmed("delete");
  }
  const named = withoutRepeats(await readKeys(context, given, kind.name, kind, options));
  return deleteNamed(context, named, kind, mustAsk);
}

/** Deletes records, after confirmation if `mustAsk`, and reports which were deleted and which were not. */
export async function deleteNamed(
  context: Context,
  named: readonly NamedRecord[],
  kind: DeletableKind,
  mustAsk: boolean,
): Promise<ExitCode> {
  const wanted = mustAsk ? await confirmed(context, named, kind) : named;
  const attempts = await attemptEach(context, wanted, kind.delete);
  return report(context, attempts, kind);
}

/** Asks for confirmation of the records that exist, and returns all of them. */
async function confirmed(
  context: Context,
  named: readonly NamedRecord[],
  kind: DeletableKind,
): Promise<readonly NamedRecord[]> {
  const { config, output } = context;
  const found = await attemptEach(context, named, kind.fetch, { handlesSignals: false });
  const lines = found.flatMap((attempt) =>
    "reply" in attempt ? [kind.describe(attempt.record.key as string, dataOf(attempt.reply))] : [],
  );
  if (lines.length > 0) {
    for (const line of lines) await output.say(`  ${safeText(line)}`);
    const what =
      lines.length === 1 ? `this ${kind.view.one}` : `these ${lines.length} ${kind.view.many}`;
    const from = targetName(config.settings);
    const question = `Delete ${what}${kind.consequence(lines.length)} from ${from}?`;
    await confirm(context, "delete", question, "Nothing deleted");
  }
  return found.map((attempt) => {
    if ("reply" in attempt) return { ...attempt.record, expected: dataOf(attempt.reply) };
    return { ...attempt.record, key: attempt.failure };
  });
}

function dataOf(reply: Reply): ShownRecord {
  return reply.envelope!.data as ShownRecord;
}

async function report(
  { output }: Pick<Context, "output">,
  attempts: readonly Attempt[],
  kind: DeletableKind,
): Promise<ExitCode> {
  const summary = summaryOf(attempts, kind.view, "deleted");
  const { message, done, failed, first } = summary;
  const data = { deleted: done.map(({ record }) => record.word), failed: failureList(failed) };
  const error = first === undefined ? {} : { error: first };
  await output.report({ message, data, text: "", ...error });
  if (first === undefined) await output.say(message);
  return showSummary(output, summary, "deleted");
}
