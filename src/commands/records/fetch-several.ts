import type { Capabilities } from "../../cli/capabilities.ts";
import type { Reply } from "../../contract/service.ts";
import type { ExitCode } from "../../output/exit-codes.ts";
import type { Choosing, SeveralOptions } from "../arguments.ts";
import { attemptEach } from "./attempt-each.ts";
import { readKeys } from "./read-keys.ts";
import { showRecords } from "./show-records.ts";

/** A kind of record, and how one of them is fetched. */
export interface Fetching extends Choosing {
  /** As help has it: `NAME`, `GROUP`. */
  readonly name: string;
  readonly fetch: (key: string) => Promise<Reply>;
}

/** Fetches several records, and shows them as a list. */
export async function fetchSeveral(
  context: Pick<Capabilities, "ask" | "config" | "input" | "output" | "processes">,
  given: readonly string[],
  options: SeveralOptions,
  kind: Fetching,
): Promise<ExitCode> {
  const records = await readKeys(context, given, kind.name, kind, options);
  const attempts = await attemptEach(context, records, kind.fetch);
  return showRecords(context, attempts, kind, "fetched");
}
