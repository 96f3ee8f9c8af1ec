import type { Reply, ShownRecord } from "../../contract/service.ts";
import type { RecordChoice } from "../arguments.ts";
import type { FoundKey } from "./group-names.ts";

/** A kind of record that can be fetched. */
export interface FetchableKind extends RecordChoice {
  /** The argument's name in the help: `NAME`, `GROUP`. */
  readonly name: string;
  readonly fetch: (record: FoundKey) => Promise<Reply>;
}

/** A kind of record that can be deleted. */
export interface DeletableKind extends FetchableKind {
  readonly delete: (record: FoundKey) => Promise<Reply>;
  /** Returns the description of a record for the question. */
  readonly describe: (key: string, record: ShownRecord) => string;
  /** Returns what else is deleted with this number of records, after a space: ` and its contacts`. */
  readonly consequence: (count: number) => string;
}
