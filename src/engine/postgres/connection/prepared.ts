import { Query, type Client } from "pg";

/** Returns the function that converts a column of a type from text. */
type ParserOf = (type: number) => (text: string) => unknown;

/** The columns of a statement's rows. */
type Columns = readonly { readonly name: string; readonly parse: (text: string) => unknown }[];

/** The connection of the driver, as its queries use it. The driver has no types for it. */
export interface DriverConnection {
  readonly stream: { readonly write: (bytes: Buffer) => unknown; readonly writable: boolean };
}

interface Config {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Result {
  readonly rows: readonly unknown[];
  /** Number of rows read or changed. */
  readonly count: number;
  readonly command: string;
}

type Callback = (error: Error | null, result: { rowCount: number | null; command: string }) => void;

/** The methods of the driver's queries that it calls itself, which are missing from its types. */
const DriverQuery = Query as unknown as new (
  config: Config,
  callback: Callback,
) => {
  prepare(connection: DriverConnection): void;
  handleReadyForQuery(connection: DriverConnection): void;
};

/**
 * Creates a function that runs prepared statements on a connection with less work than the driver: it asks for the
 * columns of a statement only the first time, and writes the messages of a statement together.
 */
export function createPrepared(client: Client, connection: DriverConnection, parserOf: ParserOf) {
  /** The columns of each statement that has been run. */
  const known = new Map<string, Columns>();
  let messages: Buffer[] = [];
  const collecting = Object.create(connection, {
    _send: { value: (message: Buffer) => void messages.push(message) },
  }) as DriverConnection;
  const withoutDescribe = Object.create(collecting, {
    describe: { value: () => {} },
  }) as DriverConnection;

  /** A class, because the driver pipelines only instances of its own. */
  class PreparedQuery extends DriverQuery {
    readonly found: Record<string, unknown>[] = [];
    readonly statement: string;
    columns: Columns | undefined;

    constructor(config: Config, callback: Callback) {
      super(config, callback);
      this.statement = config.name;
      this.columns = known.get(config.name);
    }

    override prepare(): void {
      messages = [];
      super.prepare(this.columns === undefined ? collecting : withoutDescribe);
      if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
    }

    handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
      this.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    }

    handleDataRow({ fields }: { fields: (string | null)[] }): void {
      const row: Record<string, unknown> = {};
      const columns = this.columns!;
      for (let index = 0; index < columns.length; index += 1) {
        const { name, parse } = columns[index]!;
        const text = fields[index]!;
        row[name] = text === null ? null : parse(text);
      }
      this.found.push(row);
    }

    override handleReadyForQuery(): void {
      known.set(this.statement, this.columns ?? []);
      super.handleReadyForQuery(connection);
    }
  }

  return (config: Config): Promise<Result> =>
    new Promise((resolve, reject) => {
      const query: PreparedQuery = new PreparedQuery(config, (error, result) => {
        if (error === null) {
          resolve({ rows: query.found, count: result.rowCount ?? 0, command: result.command });
        } else reject(error);
      });
      client.query(query as unknown as Query);
    });
}
