import { requestLogFile } from "../config/database.ts";
import type { Capabilities, LocalKey } from "./capabilities.ts";
import { createEngines, isMissingDatabase, type Access } from "./local-engine.ts";
import { runKeyCommand } from "./secret-key.ts";
import type { Writers } from "../output/writer.ts";
import {
  lenientSettings,
  resolveSettings,
  takesColour,
  type GlobalOptions,
  type Settings,
} from "../config/settings.ts";
import { type Config, configFile, noHome, readConfig } from "../config/profiles.ts";
import { refuseSharedConfig } from "../config/shared-config.ts";
import { keyHint, targetName, targetOptions } from "../config/target.ts";
import { ownBehaviour as engineBehaviour, type PartialBehaviour } from "../contract/behaviour.ts";
import { operations } from "../contract/operations.ts";
import type { Request, WatchedRequest } from "../contract/request.ts";
import { serviceOf, type OperationHandler, type Reply, type Service } from "../contract/service.ts";
import type { DryRun } from "./dry-run.ts";
import type { Embedded } from "../engine/embedded.ts";
import { announced, targetLine, traced } from "./wrappers.ts";
import { SendctlError } from "../core/error.ts";
import { createOutput } from "../output/create-output.ts";
import { createPrompter, isInteractive } from "../output/prompts/prompter.ts";
import { safeText, shellWord } from "../core/safe-text.ts";
import type { Secrets } from "../output/secrets.ts";
import { defaultWidth, loadStyle, terminalWidth } from "../output/terminal.ts";
import type { OpenRemote, RemoteSettings } from "../client/client.ts";
import { makeFolder, makeTemporaryFolder } from "../core/folders.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Serving } from "../server/serve.ts";
import { version } from "../../package.json";
import { setMaxListeners } from "node:events";
import { dirname, resolve } from "node:path";
import type { Readable } from "node:stream";

/** The capabilities of a command, and a function that releases them. */
export interface Context extends Capabilities {
  readonly close: () => Promise<void>;
}

/**
 * Creates the context of a command. Only this file knows every layer.
 *
 * @param usesProfiles false for commands that manage profiles, which must run even if the config file is invalid
 * @throws SendctlError "usage" if the settings are invalid
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
  const lenient = options.lenient === true ? lenientSettings(options, runtime, config) : undefined;
  const settings =
    lenient?.settings ?? resolveSettings(options, runtime, usesProfiles ? config() : undefined);
  secrets.addKey(settings.secretKey);
  for (const password of settings.databaseUrl?.passwords ?? []) secrets.add(password);
  const closers: (() => Promise<void> | void)[] = [];

  const output = createOutput(settings.format, settings.quiet, {
    ...writers,
    width: () => terminalWidth(runtime.stdout),
    messageWidth: () => terminalWidth(runtime.stderr),
    style: (isTerminal) => loadStyle(takesColour(isTerminal, options, runtime.env)),
    elapsed: runtime.elapsed,
    secrets,
    isCsvSafe: options.csvSafe === true,
    query: options.query,
  });
  const debug = async (text: string): Promise<void> => {
    const lines = text.split("\n").map((line) => `${safeText(line)}\n`);
    if (settings.debug) await writers.err.write(lines.join(""));
  };

  /** Returns the checked behaviour of a target. @throws SendctlError "usage" */
  const behaviourOf = async ({ behaviour, profile }: Settings): Promise<PartialBehaviour> => {
    if (behaviour === undefined) return {};
    const { checkedBehaviour } = await import("../contract/check-behaviour.ts");
    return checkedBehaviour(behaviour, `${profile}`, `${configFile(runtime)}`);
  };
  // With a base URL, the behaviour of the profile is that of the remote service.
  const ownBehaviour = async (): Promise<PartialBehaviour> =>
    settings.baseUrl === undefined ? behaviourOf(settings) : {};
  const engines = createEngines(settings, ownBehaviour, runtime, closers);
  let commandKey: Promise<string> | undefined;
  /** Returns the key for the chosen target. A key command runs once, when the key is needed. */
  const secretKey = async (): Promise<string | undefined> => {
    const { keyCommand, profile } = settings;
    if (keyCommand === undefined) return settings.secretKey;
    const { signal } = stopper();
    const file = configFile(runtime);
    if (file !== undefined) refuseSharedConfig(file);
    commandKey ??= runKeyCommand(keyCommand, profile, runtime, secrets, signal);
    return commandKey;
  };
  const warnOfKey = (key: string, target: string): Promise<void> =>
    output.warn(safeText(`${key} belongs to ${target} and is not used here`));
  let warning: Promise<void> | undefined;
  /** Returns the key that selects an integration of the chosen database. */
  const keyFor = async (engine: Embedded): Promise<LocalKey> => {
    const key = await secretKey();
    const { keyBelongsTo, sources, profile } = settings;
    const isForeign =
      key !== undefined && keyBelongsTo !== undefined && (await engine.callerOf(key)) === undefined;
    if (!isForeign) {
      return { key, source: sources.secretKey === "profile" ? `profile ${profile}` : undefined };
    }
    await (warning ??= warnOfKey("SENDCTL_SECRET_KEY", keyBelongsTo));
    return { key: undefined, source: undefined };
  };

  const services = new Map<Embedded, Promise<Service>>();
  /** Returns the operations of the engine itself. */
  const engineService = async (access: Access): Promise<Service> => {
    const engine = await engines.open(access);
    const open = async (): Promise<Service> => {
      const { key, source } = await keyFor(engine);
      const service = await engine.service(key, source);
      return settings.debug ? traced(service, runtime.elapsed, debug) : service;
    };
    const service = services.get(engine) ?? open();
    services.set(engine, service);
    return service;
  };
  const embeddedService = async (access: Access): Promise<Service> => {
    const engine = await engines.open(access);
    const service = await engineService(access);
    if (engine.isOwn) return service;
    const { clientOf } = await import("./embedded-client.ts");
    return clientOf(engine, service, clientTools());
  };

  const readInput = async (limit = Infinity): Promise<Uint8Array> => {
    const { readUpTo } = await import("../core/open-input.ts");
    return readUpTo(runtime.stdin, limit);
  };

  let stop: AbortController | undefined;
  /** Returns the controller that aborts all running work: on a signal, or at the end of the command. */
  const stopper = (): AbortController => {
    if (stop !== undefined) return stop;
    const controller = (stop = new AbortController());
    // Every concurrent request adds a listener.
    setMaxListeners(0, controller.signal);
    closers.push(runtime.onStop((signal) => controller.abort(signal)));
    closers.push(() => controller.abort());
    return controller;
  };
  /** Returns what shows that a request takes long; undefined with --debug, which shows more than that. */
  const watching = async (baseUrl: string): Promise<(() => WatchedRequest) | undefined> => {
    if (!output.isStderrTerminal() || settings.quiet || settings.debug) return undefined;
    const { createWaiting } = await import("../output/waiting.ts");
    return createWaiting({
      target: URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl,
      elapsed: runtime.elapsed,
      columns: () => runtime.stderr.columns || defaultWidth,
      line: output.statusLine(),
      say: output.say,
    });
  };
  const clientTools = () => ({
    signal: stopper().signal,
    now: () => runtime.now() / 1000,
    elapsed: runtime.elapsed,
    random: runtime.random,
    sleep: runtime.sleep,
    hide: secrets.hideBody,
    note: output.warn,
  });
  /** Returns the words that select the configured service again, for a command to paste. */
  const sameTarget = (): readonly string[] =>
    [...targetOptions(settings, false), ...(settings.insecureHttp ? ["--insecure-http"] : [])].map(
      shellWord,
    );
  const remoteSettings = async (
    baseUrl: string,
    key: string | undefined,
  ): Promise<RemoteSettings> => ({
    baseUrl,
    key,
    insecureHttp: settings.insecureHttp,
    env: runtime.env,
    timeout: settings.timeout,
    retries: settings.retries,
    ...clientTools(),
    log: debug,
    watch: await watching(baseUrl),
    behaviour: baseUrl === settings.baseUrl ? await behaviourOf(settings) : {},
  });
  const openService = async (
    baseUrl: string,
    key: string | undefined,
    hints: Pick<RemoteSettings, "targetOptions" | "keyHint"> = {},
  ): Promise<OpenRemote> => {
    const { openRemote } = await import("../client/client.ts");
    const opened = await openRemote({ ...(await remoteSettings(baseUrl, key)), ...hints });
    if (runtime.leavesConnections !== true) closers.push(opened.close);
    return opened;
  };
  const connect = async (baseUrl: string): Promise<OpenRemote> => {
    const key = await secretKey();
    const { withheldKey } = settings;
    if (key === undefined && withheldKey !== undefined) {
      await warnOfKey(withheldKey.key, withheldKey.target);
    }
    return openService(baseUrl, key, { targetOptions: sameTarget(), keyHint: keyHint(settings) });
  };
  let remote: Promise<OpenRemote> | undefined;

  /** Returns the response of the embedded engine to any request. */
  const respondEmbedded = async (request: Request): Promise<Reply> => {
    const { respondInProcess } = await import("../server/serve.ts");
    const access = ["GET", "HEAD"].includes(request.method) ? "read" : "write";
    return respondInProcess(await engines.open(access), await engineService(access), request);
  };

  const showing = async (baseUrl = settings.baseUrl): Promise<DryRun> => {
    const { createDryRun } = await import("./dry-run.ts");
    return createDryRun({ ...settings, baseUrl }, await behaviourOf(settings), output);
  };

  let announcement: Promise<void> | undefined;
  /** Names the target on stderr, once. */
  const announce = (): Promise<void> => (announcement ??= output.say(targetLine(settings)));
  const remoteService = async (baseUrl: string): Promise<Service> =>
    announced((await (remote ??= connect(baseUrl))).service, announce);
  let configured: Promise<Service> | undefined;
  const chosenService = serviceOf((name) => async (input) => {
    const { baseUrl } = settings;
    const access = operations[name].method === "GET" ? "read" : "write";
    const chosen =
      baseUrl === undefined ? embeddedService(access) : (configured ??= remoteService(baseUrl));
    const operation: OperationHandler = (await chosen)[name];
    return operation(input);
  });
  const dryRunService = serviceOf((name) => async (input) => {
    const operation: OperationHandler = (await showing()).service[name];
    return operation(input);
  });
  const service = settings.dryRun ? dryRunService : chosenService;
  const clock: Capabilities["clock"] = {
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
  };

  const serveLogged = async (
    engine: Embedded,
    given: Parameters<Capabilities["local"]["serve"]>[0],
    logFile: string,
    warn: (text: string) => void,
  ): Promise<Serving> => {
    const { startServing } = await import("../server/serve.ts");
    const { openRequestLog } = await import("../server/request-log.ts");
    const { instance, isLogPrinted } = given;
    const print = isLogPrinted ? output.say : undefined;
    const log = openRequestLog(logFile, {
      instance,
      print,
      isReadable: output.isStderrTerminal(),
      warn,
    });
    const served = { ...given, served: log.served };
    const serving = await startServing(engine, served, {
      version,
      elapsed: runtime.elapsed,
      printError: writers.err.write,
    });
    engine.onRetry(log.retried);
    const stop = async (): Promise<void> => {
      await serving.stop();
      await log.close();
    };
    return { ...serving, stop };
  };

  const local: Capabilities["local"] = {
    engine: (access = "write") => engines.open(access),
    service: engineService,
    key: async (access = "write") => keyFor(await engines.open(access)),
    database: async (access = "write") => {
      if (access === "read") isMissingDatabase(settings);
      if (settings.databaseUrl !== undefined) {
        const postgres = await import("../engine/postgres/maintenance.ts");
        return postgres.createPostgresMaintenance(settings.databaseUrl, runtime, settings.timeout);
      }
      const { createMaintenance } = await import("../engine/sqlite/maintenance/maintenance.ts");
      const { logFiles } = await import("../server/log-file.ts");
      const taken = logFiles(requestLogFile(settings, runtime));
      return createMaintenance(settings.database, runtime.folder, taken, () => stopper().signal);
    },
    contacts: async (access = "write") => {
      const engine = await engines.open(access);
      const { key, source } = await keyFor(engine);
      return engine.contacts(key, source);
    },
    readLog: async () => {
      isMissingDatabase(settings);
      const { openLogReader } = await import("../server/log-file.ts");
      return openLogReader(requestLogFile(settings, runtime));
    },
    faults: async (specifications) => {
      if (specifications.length === 0) return [];
      const { readFault } = await import("../server/faults.ts");
      return specifications.map(readFault);
    },
    openApi: async (behaviour) => {
      const { localServer, openApiDocument } = await import("../server/openapi/document.ts");
      return openApiDocument([localServer], { ...engineBehaviour, ...behaviour });
    },
    copyTo: async (to, step) => {
      const { copyTo } = await import("./copy-database.ts");
      return copyTo(to, settings, runtime, secrets.add, step);
    },
    reach: async (signal) => {
      if (settings.databaseUrl === undefined) return;
      const { reachPostgres } = await import("../engine/postgres/maintenance.ts");
      await reachPostgres(settings.databaseUrl.url, runtime, settings.timeout, signal);
    },
    serve: async (given) => {
      const { drainTimeout } = await import("../server/serve.ts");
      const { behaviour, migrates } = given;
      const opened = await engines.openAnother(drainTimeout, undefined, behaviour, migrates);
      const logFile = requestLogFile(settings, runtime);
      if (settings.databaseUrl !== undefined) makeFolder(dirname(logFile));
      return serveLogged(opened, given, logFile, (text) => void output.warn(safeText(text)));
    },
    serveTemporarily: async (given) => {
      if (options.database !== undefined) {
        throw new SendctlError("usage", "this command uses a temporary database", {
          hint: "omit --database",
          setting: "--database",
        });
      }
      const { drainTimeout } = await import("../server/serve.ts");
      const { file, remove } = makeTemporaryFolder("sendctl.db", runtime);
      closers.push(remove);
      const opened = await engines.openAnother(drainTimeout, file, given.behaviour);
      // `local log` in the command reads it. It is deleted with the database.
      const logFile = requestLogFile({ database: file, databaseUrl: undefined }, runtime);
      return { ...(await serveLogged(opened, given, logFile, () => {})), database: file };
    },
  };

  return {
    service,
    target: {
      service: chosenService,
      announce,
      send: async (request) => {
        const { baseUrl } = settings;
        if (settings.dryRun) return (await showing()).send(request);
        if (baseUrl !== undefined) {
          const { send } = await (remote ??= connect(baseUrl));
          if (request.method !== "GET") await announce();
          return send(request);
        }
        return respondEmbedded(request);
      },
      probe: async () => {
        const { baseUrl } = settings;
        const targets = await import("./probe-target.ts");
        if (baseUrl === undefined) {
          const name = targetName(settings);
          return targets.embeddedProbeTarget(respondEmbedded, name, runtime, closers);
        }
        const given = await remoteSettings(baseUrl, await secretKey());
        const target = { ...given, keyHint: keyHint(settings) };
        return targets.remoteProbeTarget(target, runtime, closers);
      },
      checkBaseUrl: async (baseUrl) => {
        const { readBaseUrl } = await import("../client/http/route.ts");
        readBaseUrl(baseUrl, settings.insecureHttp);
      },
      serviceAt: async (baseUrl, key) => {
        secrets.addKey(key);
        return settings.dryRun
          ? (await showing(baseUrl)).service
          : (await openService(baseUrl, key)).service;
      },
    },
    get local() {
      refuseOptions(options);
      return local;
    },
    output,
    ask: {
      prompter: () => {
        if (!settings.mayAsk || !isInteractive(runtime)) return undefined;
        return createPrompter(
          runtime,
          (text) => safeText(secrets.hide(text)),
          takesColour(true, options, runtime.env),
        );
      },
      list: (name) => (query) => service[name]({ query }),
    },
    config: {
      settings,
      read: config,
      change: async (change) => {
        const file = configFile(runtime);
        if (file === undefined) throw noHome("set XDG_CONFIG_HOME");
        const { changeConfig } = await import("../config/write-profiles.ts");
        const never = new AbortController().signal;
        await changeConfig(file, change, (milliseconds) => runtime.sleep(milliseconds, never));
      },
      keyOf: (command) => runKeyCommand(command, undefined, runtime, secrets, stopper().signal),
      behaviourOf,
      settingsWith: (profile) =>
        resolveSettings(
          profile === undefined ? options : { ...options, profile },
          runtime,
          config(),
        ),
    },
    state: {
      read: async () => {
        const { applyStateFile, readState } = await import("../config/state-file.ts");
        const file = applyStateFile(settings, runtime);
        return file === undefined ? undefined : readState(file);
      },
      hold: async (waiting) => {
        const { applyStateFile, lockState, writeState } = await import("../config/state-file.ts");
        const file = applyStateFile(settings, runtime);
        if (file === undefined) throw noHome("set XDG_STATE_HOME");
        const release = await lockState(file, waiting, clock.sleep);
        return { write: (text) => writeState(file, text), release };
      },
    },
    clock,
    processes: {
      run: runtime.run,
      env: runtime.env,
      stopped: () => new Promise((resolve) => closers.push(runtime.onStop(resolve))),
      dropUnreadErrors: async () => (await runtime.stderr.dropUnread?.()) ?? (async () => {}),
      onSignal: (signals, listener) => void closers.push(runtime.onStop(listener, signals)),
    },
    input: {
      isTyped: () => runtime.stdin.isTTY === true,
      read: readInput,
      stream: () => runtime.stdin as Readable,
      path: (file) => resolve(runtime.folder, file),
      manifest: async (files, envPrefix) => {
        const { readSources } = await import("../manifest/read.ts");
        const { readManifest } = await import("../manifest/read.ts");
        const sources = await readSources(files, runtime.folder, readInput);
        return readManifest(sources, runtime.env, envPrefix);
      },
      behaviour: async (file) => {
        const { readBehaviourFile } = await import("../probe/behaviour-file.ts");
        return readBehaviourFile(file, runtime.folder, readInput);
      },
    },
    doctor: {
      diagnose: async () => {
        const { diagnose, maxCheckTimeout } = await import("../doctor/diagnose.ts");
        let keyFailure: SendctlError | undefined;
        const key = await secretKey().catch((error: unknown) => {
          if (!(error instanceof SendctlError) || error.kind !== "auth") throw error;
          keyFailure = error;
          return undefined;
        });
        const results = await diagnose({
          settings: { ...settings, secretKey: key },
          keyFailure,
          settingsErrors: lenient?.errors ?? [],
          runtime,
          timeout: Math.min(settings.timeout, maxCheckTimeout),
          signal: stopper().signal,
          hide: secrets.hideBody,
        });
        // Hidden here, because the results are laid out before they are printed.
        return secrets.hideValue(results);
      },
    },
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

/** Refuses options that select a service, for commands of the embedded engine. Variables are ignored. */
function refuseOptions({ baseUrl, dryRun }: GlobalOptions): void {
  if (baseUrl !== undefined) {
    throw new SendctlError("usage", "this command works on the embedded engine only", {
      hint: "omit --base-url",
      setting: "--base-url",
    });
  }
  if (dryRun === true) {
    throw new SendctlError(
      "usage",
      "--dry-run is not supported here: this command sends no request",
      {
        hint: "omit --dry-run",
        setting: "--dry-run",
      },
    );
  }
}
