import type { Capabilities } from "../../cli/capabilities.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import type { SeveralOptions } from "../arguments.ts";
import { attemptEach } from "./attempt-each.ts";
import { readKeys } from "./read-keys.ts";
import type { FetchableKind } from "./record-kind.ts";
import { showRecords } from "./show-records.ts";

/**
 * Fetches several records concurrently and shows them as a list.
 *
 * @param verb the participle in the summary: `fetched`
 * @param maxConcurrent number of records in progress at once
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
  return showRecords(context, attempts, kind, verb);
}
