import { setMaxListeners } from "node:events";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import type { Capabilities, Context, LocalKey } from "./capabilities.ts";
import {
  resolveSettings,
  takesColour,
  type GlobalOptions,
  type Settings,
} from "../config/settings.ts";
import { forgivingSettings } from "../config/lenient-settings.ts";
import { configFile, readConfig, type Config } from "../config/profiles.ts";
import { requestLogFile } from "../config/target.ts";
import { serviceOf, type Answering, type Service } from "../contract/service.ts";
import type { Showing } from "../service/dry-run.ts";
import type { Embedded } from "../engine/embedded.ts";
import { announced, targetLine } from "../service/announce-target.ts";
import { SendctlError } from "../contract/error.ts";
import { createWriter, type Writer } from "../output/writer.ts";
import { createPrompter, isInteractive } from "../prompts/prompter.ts";
import { safeText } from "../output/safe-text.ts";
import type { Secrets } from "../output/secrets.ts";
import { loadStyle } from "../output/style.ts";
import type { OpenRemote } from "../remote/open.ts";
import { traced } from "../service/trace.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The writers are made before there are settings: a failure to find those has to be told, too. */
export interface Writers {
  readonly out: Writer;
  readonly err: Writer;
}

export function createWriters(runtime: Runtime, { hide }: Secrets): Writers {
  return {
    out: createWriter(() => runtime.stdout, "standard output", hide, true),
    err: createWriter(() => runtime.stderr, "standard error", hide, false),
  };
}

/** Columns of a terminal that does not say how many it has. */
export const widthUntold = 80;

/**
 * @param usesProfiles false for commands that work on profiles, and run in whatever state those are
 * @throws SendctlError "usage" when the settings make no sense
 */
export function createContext(
  options: GlobalOptions,
  runtime: Runtime,
  writers: Writers,
  secrets: Secrets,
  usesProfiles: boolean,
): Context {
  const config = (): Config => {
    const read = readConfig(configFile(runtime));
    for (const { secretKey } of read.profiles.values()) secrets.add(secretKey);
    return read;
  };
  const forgiven =
    options.forgiving === true ? forgivingSettings(options, runtime, config) : undefined;
  const settings =
    forgiven?.settings ?? resolveSettings(options, runtime, usesProfiles ? config() : undefined);
  for (const password of settings.databaseUrl?.passwords ?? []) secrets.add(password);
  let capabilities: Capabilities | undefined;
  const closers: (() => Promise<void> | void)[] = [];
  let embedded: Promise<Embedded> | undefined;
  let remote: Promise<OpenRemote> | undefined;

  const say = async (line: string): Promise<void> => {
    // Who has stopped reading has seen enough.
    if (!settings.quiet && !writers.out.isGone()) await writers.err.write(`${line}\n`);
  };
  const warn = (line: string): Promise<void> => say(`Warning: ${line}`);
  const debug = async (text: string): Promise<void> => {
    const lines = text.split("\n").map((line) => `${safeText(line)}\n`);
    if (settings.debug) await writers.err.write(lines.join(""));
  };

  const openFile = async (file: string, patience?: number): Promise<Embedded> => {
    const { openEmbedded } = await import("../engine/embedded.ts");
    return openEmbedded(file, runtime.now, patience);
  };
  const openPostgres = async (url: string): Promise<Embedded> => {
    const { openPostgresEmbedded } = await import("../engine/postgres/open-embedded.ts");
    return openPostgresEmbedded(url, runtime, runtime.now, settings.timeout);
  };
  /**
   * @param patience in milliseconds, where the database is a file
   * @param file another database than the one that is set
   */
  const openEngine = async (patience?: number, file?: string): Promise<Embedded> => {
    const url = settings.databaseUrl?.url;
    const opened =
      file === undefined && url !== undefined
        ? await openPostgres(url)
        : await openFile(file ?? settings.database, patience);
    closers.push(opened.close);
    return opened;
  };
  const engine = (): Promise<Embedded> => (embedded ??= openEngine());
  const localKey: LocalKey = {
    key: settings.secretKey,
    source: settings.sources.secretKey === "profile" ? `profile ${settings.profile}` : undefined,
  };

  const ownService = async (): Promise<Service> =>
    (await engine()).service(localKey.key, localKey.source);

  const readInput = async (limit = Infinity): Promise<Uint8Array> => {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of runtime.stdin) {
      const bytes = Buffer.from(chunk);
      length += bytes.length;
      chunks.push(bytes);
      if (length > limit) break;
    }
    return Buffer.concat(chunks);
  };

  let stop: AbortController | undefined;
  /** What ends whatever is under way: a signal, or that all is done. */
  const stopper = (): AbortController => {
    if (stop !== undefined) return stop;
    const made = (stop = new AbortController());
    // Each request that is under way listens; so do all that are under way at once.
    setMaxListeners(0, made.signal);
    closers.push(runtime.onStop((signal) => made.abort(signal)));
    closers.push(() => made.abort());
    return made;
  };
  const openService = async (baseUrl: string, key: string | undefined): Promise<OpenRemote> => {
    const { openRemote } = await import("../remote/open.ts");
    const opened = await openRemote({
      baseUrl,
      key,
      insecureHttp: settings.insecureHttp,
      env: runtime.env,
      timeout: settings.timeout,
      retries: settings.retries,
      signal: stopper().signal,
      now: () => runtime.now() / 1000,
      elapsed: runtime.elapsed,
      random: runtime.random,
      sleep: runtime.sleep,
      hide: secrets.hide,
      log: debug,
      note: warn,
      eachRecord: async (list, take) => {
        const { eachRecord } = await import("../service/stream-list.ts");
        return eachRecord(list, take);
      },
    });
    closers.push(opened.close);
    return opened;
  };
  const connect = async (baseUrl: string): Promise<OpenRemote> => {
    const { secretKey, keyIsFor, profile } = settings;
    if (remote === undefined && secretKey === undefined && keyIsFor !== undefined) {
      await warn(safeText(`the key of profile ${profile} is for ${keyIsFor}, and stays there`));
    }
    return (remote ??= openService(baseUrl, secretKey));
  };

  const showing = async (baseUrl = settings.baseUrl): Promise<Showing> => {
    const { createShowing } = await import("../service/dry-run.ts");
    return createShowing({ ...settings, baseUrl }, writers.out.write, say);
  };

  const context: Context = {
    get capabilities() {
      return (capabilities ??= capabilitiesOf(context));
    },
    settings,
    service: async () => {
      const { baseUrl } = settings;
      if (settings.dryRun) return (await showing()).service;
      if (baseUrl !== undefined)
        return announced((await connect(baseUrl)).service, targetLine(settings), say);
      const service = await ownService();
      return settings.debug ? traced(service, runtime.elapsed, debug) : service;
    },
    send: async (request) => {
      const { baseUrl } = settings;
      if (settings.dryRun) return (await showing()).send(request);
      if (baseUrl !== undefined) {
        const { send } = await connect(baseUrl);
        if (request.method !== "GET") await say(targetLine(settings));
        return send(request);
      }
      const { answerInProcess } = await import("./serve-engine.ts");
      return answerInProcess(await engine(), await ownService(), request);
    },
    local: async () => {
      refuseOptions(options);
      return engine();
    },
    localKey,
    copyDatabase: async (to, step) => {
      refuseOptions(options);
      const { copyTo } = await import("./copy-database.ts");
      return copyTo(to, settings, runtime, secrets.add, step);
    },
    localDatabase: async () => {
      refuseOptions(options);
      if (settings.databaseUrl !== undefined) {
        const { postgresKeeping } = await import("../engine/postgres/maintenance/maintenance.ts");
        return postgresKeeping(settings.databaseUrl, runtime, settings.timeout);
      }
      const { keepingOf } = await import("../engine/sqlite/maintenance/maintenance.ts");
      const { logFiles } = await import("../request-log/log-file.ts");
      const taken = logFiles(requestLogFile(settings, runtime));
      return keepingOf(settings.database, runtime.folder, taken, () => stopper().signal);
    },
    contacts: async () => {
      refuseOptions(options);
      return (await engine()).contacts(localKey.key, localKey.source);
    },
    requestLog: () => {
      refuseOptions(options);
      return requestLogFile(settings, runtime);
    },
    serve: async (given) => {
      refuseOptions(options);
      const { startServing, servingPatience } = await import("./serve-engine.ts");
      const opened = await openEngine(servingPatience);
      if (settings.databaseUrl !== undefined) await makeFolderOf(requestLogFile(settings, runtime));
      return startServing(opened, given, runtime, writers.err.write);
    },
    serveTemporarily: async (given) => {
      refuseOptions(options);
      if (options.database !== undefined) {
        throw new SendctlError("usage", "This has a database of its own: leave --database out");
      }
      const { makeTemporaryFolder } = await import("../runtime/temporary-folder.ts");
      const { startServing, servingPatience } = await import("./serve-engine.ts");
      const { file, remove } = await makeTemporaryFolder("sendctl.db");
      closers.push(remove);
      const opened = await openEngine(servingPatience, file);
      const serving = await startServing(opened, given, runtime, writers.err.write);
      return {
        ...serving,
        database: file,
        requestLog: requestLogFile({ database: file, databaseUrl: undefined }, runtime),
      };
    },
    run: runtime.run,
    env: runtime.env,
    serviceAt: async (baseUrl, key) => {
      secrets.add(key);
      return settings.dryRun
        ? (await showing(baseUrl)).service
        : (await openService(baseUrl, key)).service;
    },
    config,
    changeConfig: async (change) => {
      const file = configFile(runtime);
      if (file === undefined) {
        throw new SendctlError("usage", "There is no home folder (HOME): set XDG_CONFIG_HOME");
      }
      const { changeConfig } = await import("../config/write-profiles.ts");
      const { signal } = new AbortController();
      await changeConfig(file, change, (milliseconds) => runtime.sleep(milliseconds, signal));
    },
    settingsWith: (profile) =>
      resolveSettings(profile === undefined ? options : { ...options, profile }, runtime, config()),
    isTyped: () => runtime.stdin.isTTY === true,
    diagnose: async () => {
      const { diagnose, longestPatience } = await import("../doctor/diagnose.ts");
      return diagnose({
        settings,
        settingsFaults: forgiven?.faults ?? [],
        runtime,
        patience: Math.min(settings.timeout, longestPatience),
        signal: stopper().signal,
        hide: secrets.hide,
      });
    },
    manifest: async (files) => {
      const { readSources } = await import("../manifest/sources.ts");
      const { readManifest } = await import("../manifest/read.ts");
      return readManifest(await readSources(files, runtime.folder, readInput), runtime.env);
    },
    input: () => runtime.stdin as Readable,
    readInput,
    stopped: () => new Promise((resolve) => closers.push(runtime.onStop(resolve))),
    onSignal: (signals, heard) => void closers.push(runtime.onStop(heard, signals)),
    prompter: () => {
      if (!settings.mayAsk || !isInteractive(runtime)) return undefined;
      return createPrompter(runtime, secrets.hide, takesColour(true, options, runtime.env));
    },
    print: writers.out.write,
    say,
    warn,
    complain: (line) => writers.err.write(`sendctl: ${line}\n`),
    style: (isTerminal = runtime.stdout.isTTY === true) =>
      loadStyle(takesColour(isTerminal, options, runtime.env)),
    terminalWidth: () =>
      runtime.stdout.isTTY === true ? runtime.stdout.columns || widthUntold : undefined,
    now: () => runtime.now() / 1000,
    elapsed: runtime.elapsed,
    sleep: async (milliseconds) => {
      const { signal } = stopper();
      try {
        await runtime.sleep(milliseconds, signal);
      } catch {
        if (signal.reason === "SIGTERM") throw new SendctlError("terminated", "Terminated");
        throw new SendctlError("cancelled", "Cancelled");
      }
    },
    sketch: async (text) => {
      if (!settings.quiet) await writers.err.write(text);
    },
    isWatched: () => runtime.stderr.isTTY === true,
    isUnread: writers.out.isGone,
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
  return context;
}

function capabilitiesOf(context: Context): Capabilities {
  const service = lazyService(context.service);
  const show = async () => import("../output/answer.ts");
  return {
    service,
    local: {
      engine: context.local,
      key: context.localKey,
      database: context.localDatabase,
      contacts: context.contacts,
      requestLog: context.requestLog,
      copyTo: context.copyDatabase,
      serve: context.serve,
      serveTemporarily: context.serveTemporarily,
    },
    output: {
      record: async (reply, view) => (await show()).showRecord(context, reply, view),
      page: async (reply, view) => (await show()).showPage(context, reply, view),
      done: async (reply) => (await show()).showDone(context, reply),
      refusal: async (reply) => (await show()).showRefusal(context, reply),
      say: context.say,
      warn: context.warn,
      complain: context.complain,
      progress: () => {
        const progress = import("../output/progress.ts").then((loaded) =>
          loaded.createProgress(context),
        );
        return {
          update: async (text) => (await progress).update(text),
          done: async () => (await progress).done(),
        };
      },
    },
    ask: {
      prompter: context.prompter,
      list: (name) => (query) => service[name]({ query }),
    },
    config: {
      settings: context.settings,
      read: context.config,
      change: context.changeConfig,
      settingsWith: context.settingsWith,
    },
    clock: context,
    processes: context,
    input: {
      isTyped: context.isTyped,
      read: context.readInput,
      stream: context.input,
      manifest: context.manifest,
    },
    doctor: context,
    context,
  };
}

/** A service that is opened by its first operation. */
function lazyService(open: () => Promise<Service>): Service {
  let opened: Promise<Service> | undefined;
  return serviceOf((name) => async (input) => {
    const operation: Answering = (await (opened ??= open()))[name];
    return operation(input);
  });
}

async function makeFolderOf(file: string): Promise<void> {
  const { mkdir } = await import("node:fs/promises");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
}

/** What belongs to the embedded engine alone is no request to a service; a variable says nothing of it. */
function refuseOptions({ baseUrl, dryRun }: GlobalOptions): void {
  if (baseUrl !== undefined) {
    throw new SendctlError("usage", "This works on the embedded engine only: leave --base-url out");
  }
  if (dryRun === true) {
    throw new SendctlError(
      "usage",
      "This makes no request that could be shown: leave --dry-run out",
    );
  }
}
