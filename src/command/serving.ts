import { makeTemporaryFolder, makeFolder } from "../core/files.ts";
import type { GlobalOptions } from "../config/settings.ts";
import { requestLogFile } from "../config/database.ts";
import { SendctlError } from "../core/error.ts";
import { safeText } from "../core/text.ts";
import type { Embedded } from "../engine/embedded.ts";
import { openRequestLog } from "../server/request-log.ts";
import { drainTimeout, startServing, type Serving, type ServingOptions } from "../server/serve.ts";
import { version } from "../../package.json";
import type { Engines } from "./engines.ts";
import type { Shared } from "./process.ts";
import { dirname } from "node:path";

/** Serves the embedded engine on a port. */
export interface Servers {
  /** Serves the chosen database, and logs the requests beside it. */
  readonly serve: (options: LoggedServingOptions) => Promise<Serving>;
  /** Serves a database that is deleted when the command ends. */
  readonly serveTemporarily: (
    options: LoggedServingOptions,
  ) => Promise<Serving & { readonly database: string }>;
}

interface LoggedServingOptions extends Omit<ServingOptions, "served"> {
  /** Name of this server in the log. */
  readonly instance: string;
  /** Whether the log is also printed on stderr. */
  readonly isLogPrinted: boolean;
}

/** Creates the servers of a command. */
export function createServers(
  { settings, runtime, output, writers, cleanups }: Shared,
  options: GlobalOptions,
  engines: Engines,
): Servers {
  const serveLogged = async (
    engine: Embedded,
    given: LoggedServingOptions,
    logFile: string,
    warn: (text: string) => void,
  ): Promise<Serving> => {
    const { instance, isLogPrinted } = given;
    const print = isLogPrinted ? output.say : undefined;
    const log = openRequestLog(logFile, {
      instance,
      print,
      isReadable: output.isStderrTerminal(),
      warn,
    });
    const tools = { version, elapsed: runtime.elapsed, printError: writers.err.write };
    const serving = await startServing(engine, { ...given, served: log.served }, tools);
    const stop = async (): Promise<void> => {
      await serving.stop();
      await log.close();
    };
    return { ...serving, stop };
  };
  return {
    serve: async (given) => {
      const { behaviour, migrates } = given;
      const engine = await engines.openAnother({ timeout: drainTimeout, behaviour, migrates });
      const logFile = requestLogFile(settings, runtime);
      if (settings.databaseUrl !== undefined) makeFolder(dirname(logFile));
      return serveLogged(engine, given, logFile, (text) => void output.warn(safeText(text)));
    },
    serveTemporarily: async (given) => {
      if (options.database !== undefined) {
        throw new SendctlError("usage", "this command uses a temporary database", {
          hint: "omit --database",
          setting: "--database",
        });
      }
      const { file, remove } = makeTemporaryFolder("sendctl.db", runtime);
      cleanups.push(remove);
      const { behaviour } = given;
      const engine = await engines.openAnother({ timeout: drainTimeout, behaviour }, file);
      // `local log` in the command reads it. It is deleted with the database.
      const logFile = requestLogFile({ database: file, databaseUrl: undefined }, runtime);
      return { ...(await serveLogged(engine, given, logFile, () => {})), database: file };
    },
  };
}
