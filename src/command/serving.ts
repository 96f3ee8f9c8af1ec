import { makeFolder } from "../core/files.ts";
import { makeTemporaryFolder } from "../core/temporary-folder.ts";
import { requestLogFile } from "../config/database.ts";
import { safeText } from "../core/text.ts";
import type { Embedded } from "../engine/embedded.ts";
import { openRequestLog } from "../server/request-log.ts";
import { lockTimeout, startServing, type Serving, type ServingOptions } from "../server/serve.ts";
import type { Engines } from "./endpoints.ts";
import { refuseDatabase, type Shared } from "./process.ts";
import { dirname, resolve } from "node:path";
import type { ControlListener } from "../server/control/listener.ts";

interface LoggedServingOptions extends Omit<ServingOptions, "served"> {
  /** Whether the log is also printed on stderr. */
  readonly isLogPrinted: boolean;
}

/** Serves the embedded engine on a port. */
export type Servers = ReturnType<typeof createServers>;

/** Creates the servers of a command. */
export function createServers(
  { settings, runtime, output, writers, cleanups, stopSignal }: Shared,
  engines: Engines,
) {
  const serveLogged = async (
    engine: Embedded,
    given: LoggedServingOptions,
    logFile: string,
    warn: (text: string) => void,
  ): Promise<Serving> => {
    const print = given.isLogPrinted ? output.say : undefined;
    const isReadable = output.isStderrTerminal();
    const log = openRequestLog(logFile, { print, isReadable, warn });
    const tools = { elapsed: runtime.elapsed, printError: writers.err.write };
    const serving = await startServing(engine, { ...given, served: log.served }, tools);
    const stop = async (): Promise<void> => {
      await serving.stop();
      await log.close();
    };
    return { ...serving, stop };
  };
  const defect = (error: unknown): void =>
    void writers.err.write(`sendctl: A defect in sendctl: ${safeText(String(error))}\n`);
  return {
    /** Serves the chosen database, and logs the requests beside it. */
    serve: async (given: LoggedServingOptions): Promise<Serving> => {
      const { behaviour } = given;
      const isCurrent = settings.databaseUrl === undefined;
      const engine = await engines.openAnother({ timeout: lockTimeout, behaviour });
      const logFile = requestLogFile(settings, runtime);
      if (settings.databaseUrl !== undefined) makeFolder(dirname(logFile));
      return serveLogged(
        engine,
        { ...given, isCurrent },
        logFile,
        (text) => void output.warn(safeText(text)),
      );
    },
    /**
     * Serves a database that is deleted when the command ends.
     *
     * @param backup path of a backup whose records it begins with, without its keys
     */
    serveTemporarily: async (given: LoggedServingOptions, backup?: string) => {
      refuseDatabase(settings);
      const { file, remove } = makeTemporaryFolder("sendctl.db", runtime);
      cleanups.push(remove);
      const { behaviour } = given;
      if (backup !== undefined) {
        const { writeBackupCopy } = await import("../engine/sqlite/backup.ts");
        await writeBackupCopy(resolve(runtime.folder, backup), file, stopSignal());
      }
      const engine = await engines.openAnother({ timeout: lockTimeout, behaviour }, file);
      const { createRecording } = await import("../server/control/recording.ts");
      const recording = createRecording();
      // `local log` in the command reads it. It is deleted with the database.
      const logFile = requestLogFile({ database: file, databaseUrl: undefined }, runtime);
      const logged = { ...given, record: recording.begin, isCurrent: true };
      const serving = await serveLogged(engine, logged, logFile, () => {});
      let listener: ControlListener | undefined;
      return {
        ...serving,
        database: file,
        /**
         * Starts the listener through which tests control the service, once it has its first
         * records: a reset restores what it has at this moment.
         *
         * @param inspectOf the base URL of the service, to serve the page for people, too
         * @param ask asks the service to stop, for `local stop`
         * @returns its URL
         */
        startControl: async (inspectOf?: string, ask?: () => void): Promise<string> => {
          const { createControl } = await import("../server/control/control.ts");
          const { startControlListener } = await import("../server/control/listener.ts");
          const restore = await engine.snapshot!();
          const control = createControl(serving, engine, restore, recording);
          const inspect =
            inspectOf === undefined
              ? undefined
              : (await import("../server/inspect/inspect.ts")).createInspect(engine, inspectOf);
          listener = await startControlListener(control, defect, inspect, ask);
          return listener.url;
        },
        stop: async () => {
          await serving.stop();
          // Last: while it accepts connections, the service has not ended.
          await listener?.stop();
        },
      };
    },
  };
}
