import type { Reply, ShownRecord } from "../../contract/service.ts";
import type { RecordChoice } from "../arguments.ts";

/** A kind of record, and how one of them is fetched. */
export interface FetchableKind extends RecordChoice {
  /** As help has it: `NAME`, `GROUP`. */
  readonly name: string;
  readonly fetch: (key: string) => Promise<Reply>;
}

/** A kind of record that is deleted, and how. */
export interface DeletableKind extends FetchableKind {
  /** Given the record that the person was shown, where one was. */
  readonly delete: (key: string, shown: ShownRecord | undefined) => Promise<Reply>;
  /** Returns what names a record in the question. */
  readonly describe: (key: string, record: ShownRecord) => string;
  /** Returns what else is deleted with as many of them, after a space: ` and its contacts`. */
  readonly consequence: (count: number) => string;
}
