/** A PostgreSQL server, on a free local port. */
export interface PostgresServer {
  readonly port: number;
  readonly folder: string;
  readonly user: string;
  /** Returns the address of its database with a schema and further options. */
  readonly url: (schema: string, further?: string) => string;
  /** Stops it without waiting for connections, as a crash would. */
  readonly crash: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Returns the id of its main process; undefined if it is stopped. */
  readonly pid: () => number | undefined;
  /** Returns the text of its log. */
  readonly log: () => string;
  /** Adds lines to postgresql.conf, which apply from the next start. */
  readonly configure: (lines: readonly string[]) => Promise<void>;
  /** Replaces pg_hba.conf. */
  readonly admit: (lines: readonly string[]) => Promise<void>;
}

/** Why no server can be started; undefined if one can. */
export const whyNoPostgres: string | undefined;

/** Starts a server, which is killed when this process exits. Without `isDurable`, it flushes nothing to the disk. */
export function startPostgres(options?: { isDurable?: boolean }): Promise<PostgresServer>;
