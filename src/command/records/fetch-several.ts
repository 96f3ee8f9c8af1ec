import type { Capabilities } from "../capabilities.ts";
import { errorObject } from "../../core/error.ts";
import { operations } from "../../contract/operations.ts";
import type { Reply } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import { onePageReply, recordLine, type Line } from "../../service/lines.ts";
import type { RecordView } from "../../output/views.ts";
import type { RecordChoice, SeveralOptions } from "../arguments.ts";
import { attemptEach } from "./attempt-each.ts";
import type { FoundKey } from "./group-names.ts";
import { readKeys } from "./read-keys.ts";
import { failureList, showSummary, summaryOf, type Summary } from "./summary.ts";

/** A kind of record that can be fetched. */
export interface FetchableKind extends RecordChoice {
  /** The argument's name in the help: `NAME`, `GROUP`. */
  readonly name: string;
  readonly fetch: (record: FoundKey) => Promise<Reply>;
}

/**
 * Fetches several records concurrently and shows them as a list, in the order of the command line. Failures are in the
 * same JSON document, as `error`.
 *
 * @param verb the participle in the summary: `fetched`
 * @param maxConcurrent number of records in progress at once
 * @returns the exit code of the first failure
 */
export async function fetchSeveral(
  context: Pick<Capabilities, "ask" | "config" | "input" | "output" | "processes">,
  given: readonly string[],
  options: SeveralOptions,
  kind: FetchableKind,
  verb = "fetched",
  maxConcurrent?: number,
): Promise<ExitCode> {
  const records = await readKeys(context, given, kind.name, kind, options);
  const bounds = maxConcurrent === undefined ? {} : { maxConcurrent };
  const attempts = await attemptEach(context, records, kind.fetch, bounds);
  const { list, view } = kind;
  const summary = summaryOf(attempts, view, verb);
  const lines = attempts.flatMap((attempt) =>
    "reply" in attempt ? [recordLine(attempt.reply)] : [],
  );
  const reply =
    summary.first === undefined
      ? onePageReply(operations[list].message, lines)
      : partialReply(onePageReply(summary.message, lines), summary);
  await context.output.page(reply, viewOf(lines, view), { isNarrated: false });
  return showSummary(context.output, summary, verb);
}

/**
 * Returns a list with missing records. Only its text, which `--json` prints, has the error: other formats show
 * the records of the envelope as usual.
 */
function partialReply(page: Reply, { message, failed, first }: Summary): Reply {
  const error = { ...errorObject({ ...first!, message }), failed: failureList(failed) };
  const text = page.text.replace('{"status":true', '{"status":false');
  return { ...page, text: `${text.slice(0, -1)},"error":${JSON.stringify(error)}}` };
}

/** Removes columns that no record has, such as fields that only lists contain. */
function viewOf(lines: readonly Line[], view: RecordView): RecordView {
  const columns = view.columns.filter((name) => lines.some(({ record }) => name in record));
  return lines.length === 0 ? view : { ...view, columns };
}
