/**
 * What whoever owns the embedded database may do with it as a whole. Nothing of it is in the service.
 *
 * Any method throws a SendctlError of kind "database" when the database can't be used.
 */

/** What a database holds, by number. */
export interface RecordCounts {
  readonly integrations: number;
  readonly keys: number;
  readonly sender_ids: number;
  readonly groups: number;
  readonly contacts: number;
}

/** Times as the wire has them; what is not there is null. */
export interface DatabaseInfo extends RecordCounts {
  readonly database: string;
  /** False where no command has made it yet; then there is nothing in it. */
  readonly exists: boolean;
  /** Size of the file or, where it is none, of the tables. */
  readonly bytes: number;
  /** Size of what was written and is not yet in the file. */
  readonly log_bytes?: number;
  readonly schema_version: number | null;
  /** What it is on: one of the two. */
  readonly sqlite_version?: string;
  readonly postgres_version?: string;
  readonly journal_mode?: string | null;
  readonly sender_ids_pending: number;
  readonly sender_ids_approved: number;
  readonly sender_ids_rejected: number;
  /** Of sender IDs and groups. */
  readonly oldest_created_at: string | null;
  readonly newest_created_at: string | null;
}

export interface IntegrityProblem {
  /** What was looked at: schema, integrity, references, totals or clock. */
  readonly check: string;
  readonly detail: string;
}

export interface CheckReport {
  readonly database: string;
  readonly exists: boolean;
  /** What was looked at. */
  readonly checks: readonly string[];
  readonly problem_count: number;
  /** At most the first 100. */
  readonly problems: readonly IntegrityProblem[];
}

/** A copy that was made. */
export interface BackupReport extends RecordCounts {
  readonly file: string;
  readonly bytes: number;
}

/** How far something is, from 0 to 1. */
export type ReportProgress = (share: number) => void;

/** A file that was found to be a whole database of ours, and can take the place of this one. */
export interface PreparedRestore {
  readonly counts: RecordCounts;
  /** What is to go; undefined where there is no database yet, "damaged" where nobody can tell. */
  readonly current: RecordCounts | "damaged" | undefined;
  /** All or nothing, even when the process is killed. @throws SendctlError "cancelled", "terminated" */
  readonly carryOut: (report: ReportProgress) => Promise<RestoreReport>;
  /** Takes away what was made to prepare it. */
  readonly discard: () => void;
}

interface RestoreReport extends RecordCounts {
  readonly database: string;
  readonly file: string;
  /** Where a database is now that was too damaged to be written. */
  readonly damaged_database: string | null;
}

export interface Maintenance {
  /** Whether a command has made it yet. Makes nothing. */
  readonly exists: () => Promise<boolean>;
  /** Makes nothing. */
  readonly info: () => Promise<DatabaseInfo>;
  /** Changes nothing. */
  readonly check: () => Promise<CheckReport>;
  /**
   * Empties it, and begins anew with ids (the clock goes on: ruling 22).
   *
   * @param keepKeys whether keys, and the integrations that they are of, stay
   * @returns what it held; undefined where there is no database yet
   */
  readonly reset: (keepKeys: boolean) => Promise<RecordCounts | undefined>;
  /**
   * Copies it, as it is now, to a file.
   *
   * @param replaces whether the file may be there already
   * @throws SendctlError "usage" for a file that can't be one, "cancelled", "terminated"
   */
  readonly backup: (
    file: string,
    replaces: boolean,
    report: ReportProgress,
  ) => Promise<BackupReport>;
  /**
   * Checks a file that is to be restored, and copies it beside the database.
   *
   * @throws SendctlError "usage" for a file that can't be one, "database" for one that is no whole database of
   *   ours, "cancelled", "terminated"
   */
  readonly prepareRestore: (file: string, report: ReportProgress) => Promise<PreparedRestore>;
}
