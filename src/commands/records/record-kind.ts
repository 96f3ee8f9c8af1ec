import type { Reply, ShownRecord } from "../../contract/service.ts";
import type { RecordChoice } from "../arguments.ts";

/** A kind of record that can be fetched. */
export interface FetchableKind extends RecordChoice {
  /** The argument's name in the help: `NAME`, `GROUP`. */
  readonly name: string;
  readonly fetch: (key: string) => Promise<Reply>;
}

/** A kind of record that can be deleted. */
export interface DeletableKind extends FetchableKind {
  /** Deletes a record. `shown` is the record that the user confirmed, if they were asked. */
  readonly delete: (key: string, shown: ShownRecord | undefined) => Promise<Reply>;
  /** Returns the description of a record for the question. */
  readonly describe: (key: string, record: ShownRecord) => string;
  /** Returns what else is deleted with this number of records, after a space: ` and its contacts`. */
  readonly consequence: (count: number) => string;
}
