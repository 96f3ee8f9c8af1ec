import { createEngines, type Engines, createRemotes } from "./endpoints.ts";
import type { Writers } from "../output/terminal.ts";
import { configFile, readConfig, type Config } from "../config/profiles.ts";
import {
  lenientSettings,
  resolveSettings,
  isPlain,
  takesColour,
  type GlobalOptions,
} from "../config/settings.ts";
import { isRead } from "../contract/request.ts";
import type { Reply, Service, ShownRecord } from "../contract/service.ts";
import type { SendctlError } from "../core/error.ts";
import { createOutput } from "../output/output.ts";
import { safeText } from "../core/text.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Runtime } from "../core/runtime.ts";
import type { ProbeTarget } from "../probe/requests.ts";
import { throwingRefusals } from "../service/refusals.ts";
import {
  type Cleanups,
  type Shared,
  createAsk,
  createInput,
  createProcess,
  once,
} from "./process.ts";
import { type ConfigAccess, type Keys, createConfig, createKeys, createState } from "./config.ts";
import type { Journal } from "./layers/journal.ts";
import {
  createAnnouncer,
  createProtection,
  createTrace,
  type Endpoint,
  type Layer,
  throughLayers,
} from "./layers/layer.ts";
import { createLocal } from "./local.ts";

/** What the `run` of a command may use. Each part opens what it needs when it is first used. */
export type Session = Omit<OpenSession, "close">;

/** A session, and what releases it. */
export type OpenSession = ReturnType<typeof createSession>;

/**
 * Creates the session of a command from its parts.
 *
 * @param usesProfiles false for commands that manage profiles: they must run with an invalid config
 * @param argv the words after `sendctl`
 * @throws SendctlError "usage" if the settings are invalid
 */
export function createSession(
  options: GlobalOptions,
  runtime: Runtime,
  writers: Writers,
  secrets: Secrets,
  usesProfiles: boolean,
  argv: readonly string[],
) {
  const readProfiles = (): Config => {
    const config = readConfig(configFile(runtime));
    for (const { secretKey } of config.profiles.values()) secrets.add(secretKey);
    return config;
  };
  const { settings, errors } =
    options.lenient === true
      ? lenientSettings(options, runtime, readProfiles)
      : {
          settings: resolveSettings(options, runtime, usesProfiles ? readProfiles() : undefined),
          errors: [],
        };
  secrets.addKey(settings.secretKey);
  for (const password of settings.databaseUrl?.passwords ?? []) secrets.add(password);

  const isRemote = settings.baseUrl !== undefined && options.isEmbedded !== true;
  const output = createOutput(runtime, writers, secrets, {
    format: settings.format,
    isFormatOfEnvironment: settings.isFormatOfEnvironment,
    isQuiet: settings.quiet,
    isPlain: isPlain(runtime.env),
    takesColour: (isTerminal) => takesColour(isTerminal, options, runtime.env),
    csv: { isSafe: options.csvSafe === true, hasMark: options.csvBom === true },
    query: options.query,
    // Commands that manage profiles check the key of another service.
    database: isRemote || !usesProfiles ? undefined : settings.database,
  });
  const debug = async (text: string): Promise<void> => {
    const lines = text.split("\n").map((line) => `${safeText(line)}\n`);
    if (settings.debug) await writers.err.write(lines.join(""));
  };

  const cleanups: Cleanups = [];
  const { clock, processes, stopSignal } = createProcess(runtime, cleanups);
  const shared: Shared = {
    settings,
    runtime,
    argv,
    output,
    writers,
    secrets,
    debug,
    cleanups,
    stopSignal,
  };
  const keys = createKeys(shared);
  const config = createConfig(shared, options, readProfiles, keys);
  const engines = createEngines(shared, keys);
  const { service, target } = createTarget(shared, config, keys, engines);
  return {
    /** The chosen service: remote, or the engine in this process. Its first operation opens it. */
    service,
    target,
    /** Throws SendctlError "usage" with the option `--base-url` or `--dry-run`. */
    get local() {
      const { isTrial, beforeDatabase } = target;
      const given = { ...options, dryRun: options.dryRun === true && !isTrial() };
      return createLocal(shared, given, keys, engines, beforeDatabase);
    },
    output,
    ask: createAsk(
      shared,
      options,
      service,
      async (name) => (await engines.integration()).groupsNamed(name),
      async (kind) => (await target.journal()).recent.reading(kind),
      target.beforeQuestion,
    ),
    config,
    state: createState(shared, clock),
    clock,
    processes,
    input: createInput(runtime),
    doctor: {
      /** Checks this installation and its target without changing anything. */
      diagnose: () => diagnose(shared, keys, errors),
    },
    close: async (): Promise<void> => {
      for (const cleanUp of cleanups.toReversed()) await cleanUp();
    },
  };
}

/** Checks the installation and its target. @param settingsErrors of settings that were ignored */
async function diagnose(
  { settings, runtime, secrets, stopSignal }: Shared,
  keys: Keys,
  settingsErrors: readonly SendctlError[],
) {
  const doctor = await import("../doctor/diagnose.ts");
  let keyFailure: SendctlError | undefined;
  const secretKey = await keys.configured().catch((error: SendctlError) => {
    if (!["auth", "usage"].includes(error.kind)) throw error;
    keyFailure = error;
    return undefined;
  });
  const results = await doctor.diagnose({
    settings: { ...settings, secretKey },
    keyFailure,
    settingsErrors,
    runtime,
    timeout: Math.min(settings.timeout, doctor.maxCheckTimeout),
    signal: stopSignal(),
  });
  // Hidden here, because the results are laid out before they are printed.
  return secrets.hideValue(results);
}

/** Creates the chosen service, opened by its first operation, and access beyond its operations. */
function createTarget(shared: Shared, config: ConfigAccess, keys: Keys, engines: Engines) {
  const { settings, runtime, output, secrets, debug, cleanups } = shared;
  const { baseUrl } = settings;
  const protection = createProtection(settings);
  const announcer = createAnnouncer(settings, output);
  const { journal, journaled, senderIdOf, groupsOf } = createLateJournal(shared, engines);
  const remotes = createRemotes(shared, config, keys, {
    beforeChange: protection.refuseServiceChange,
    recent: async () => (await journal()).recent,
  });
  const dryRun = (url: string | undefined): Layer => dryRunAt(url, shared, config);

  /**
   * What each request passes, in order. A dry run ends it first. Protection refuses before a key
   * command runs or a connection or database opens. A service opens before it is named, so that a
   * missing key is reported alone, and is named before any change. The journal notes the record
   * just before and after. Calls of the engine are logged as it gets them.
   */
  const layers: readonly Layer[] = [
    dryRun(baseUrl),
    protection.layer,
    ...(baseUrl === undefined ? [] : [remotes.connected]),
    announcer.layer,
    journaled,
    ...(baseUrl === undefined && settings.debug ? [createTrace(runtime.elapsed, debug)] : []),
  ];
  const endpoint: Endpoint = baseUrl === undefined ? engines.endpoint : remotes.endpoint;
  const real = throughLayers(endpoint, layers.slice(1));
  const chosen = settings.dryRun ? throughLayers(endpoint, layers) : real;

  const target = {
    /** The service even with `--dry-run`, for commands whose dry run reads and shows a plan. */
    service: throwingRefusals(real.service),
    /** Sends any request and returns the unchanged response. */
    send: chosen.send,
    /** Returns the hint for a refusal. */
    hintFor: async (path: string, reply: Reply): Promise<string | undefined> =>
      endpoint.hintFor?.(path, reply),
    /** Names the target on stderr, once. The first write to a remote service does it, too. */
    announce: announcer.service,
    senderIdOf,
    groupsOf,
    journal,
    /** Declares what the command changes. Without it, every change is a defect. */
    willChange: protection.willChange,
    isTrial: protection.isTrial,
    /** Called before the database changes, also for a service. Names it if stderr is a terminal. */
    beforeDatabase: async (): Promise<void> => {
      protection.requireDeclaration();
      await announcer.database();
    },
    /** Called before a question. Names a target to change, so that nobody answers for another. */
    beforeQuestion: async (): Promise<void> => {
      const scope = protection.declared();
      if (scope !== undefined)
        await (scope === "service" ? announcer.chosen : announcer.database)();
    },
    /** Returns the service for a probe. @throws SendctlError "auth", "usage" */
    probe: async (): Promise<ProbeTarget> => {
      const { remoteProbeTarget } = await import("./probe-target.ts");
      return remoteProbeTarget(await remotes.chosenSettings(), runtime, cleanups);
    },
    /** Checks a base URL before it is configured. @throws SendctlError "usage" if invalid */
    checkBaseUrl: async (url: string): Promise<void> => {
      const { readBaseUrl } = await import("../client/http/route.ts");
      readBaseUrl(url, settings.insecureHttp);
    },
    /** Opens another remote service, which is not configured yet. @throws SendctlError "usage" */
    serviceAt: async (url: string, key: string): Promise<Service> => {
      secrets.addKey(key);
      const opened = settings.dryRun
        ? throughLayers(remotes.endpoint, [dryRun(url)])
        : await remotes.openAt(url, key);
      return opened.service;
    },
  };
  return { service: throwingRefusals(chosen.service), target };
}

/** Creates the journal when it is first needed, because most commands only read. */
function createLateJournal(shared: Shared, engines: Engines) {
  const { settings } = shared;
  /** Returns the name of a group's sender ID, null without one; undefined if not known here. */
  const senderIdOf = async ({ id }: ShownRecord): Promise<string | null | undefined> =>
    settings.baseUrl === undefined && typeof id === "number"
      ? (await engines.integration()).senderIdOf(id)
      : undefined;
  /** Returns the groups that use a sender ID; undefined if only the service knows them. */
  const groupsOf = async (senderId: string): Promise<readonly object[] | undefined> =>
    settings.baseUrl === undefined ? (await engines.integration()).groupsOf(senderId) : undefined;
  const journal = once(async (): Promise<Journal> => {
    const { createJournal } = await import("./layers/journal.ts");
    return createJournal(shared, { senderIdOf, groupsOf });
  });
  const journaled: Layer = async (call, next) => {
    // A service may not show at once what this command has changed, also without a history.
    const isNoted = settings.isJournaled || settings.baseUrl !== undefined;
    return isRead(call.method) || !isNoted ? next() : (await journal()).layer(call, next);
  };
  return { journal, journaled, senderIdOf, groupsOf };
}

/** Returns the layer of a dry run, loaded for the first request. @param url of a service, if any */
function dryRunAt(
  url: string | undefined,
  { settings, output }: Shared,
  { behaviourOf }: ConfigAccess,
): Layer {
  const layer = once(async (): Promise<Layer> => {
    const { createDryRun } = await import("./layers/dry-run.ts");
    return createDryRun({ ...settings, baseUrl: url }, await behaviourOf(settings), output);
  });
  return async (call, next) => (await layer())(call, next);
}
