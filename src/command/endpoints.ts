import type { OpenRemote, RemoteSettings } from "../client/client.ts";
import type { RemoteOptions } from "../client/calls.ts";
import { keyHint, targetOptions } from "../config/target.ts";
import { serviceOf, type OperationHandler, type Service } from "../contract/service.ts";
import { shellWord } from "../core/text.ts";
import { createWaiting, sayRetries } from "../output/status/progress.ts";
import { defaultWidth } from "../output/terminal.ts";
import type { ConfigAccess, Keys } from "./config.ts";
import type { Endpoint, Layer } from "./layers/layer.ts";
import { clientTools, once, type Shared } from "./process.ts";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Settings } from "../config/settings.ts";
import { SendctlError } from "../core/error.ts";
import type { Embedded, OpenOptions } from "../engine/embedded.ts";
import type { Store } from "../engine/store/store.ts";
import { databaseFile } from "../config/database.ts";

/**
 * Creates the access to remote services: the chosen one, and others.
 *
 * @param hooks `beforeChange` is called before each request that changes the service
 */
export function createRemotes(
  shared: Shared,
  { behaviourOf }: ConfigAccess,
  keys: Keys,
  { beforeChange, recent }: Required<Pick<RemoteSettings, "beforeChange" | "recent">>,
) {
  const { settings, runtime, output, cleanups } = shared;
  const { baseUrl, insecureHttp } = settings;

  /** Returns the display of slow requests; undefined with --debug, which shows more. */
  async function watchOf(url: string): Promise<RemoteOptions["watch"]> {
    if (settings.quiet || settings.debug) return undefined;
    if (!output.isStderrTerminal()) return sayRetries(output.say);
    const { elapsed, stderr } = runtime;
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    const columns = (): number => stderr.columns || defaultWidth;
    return createWaiting({ target: origin, elapsed, columns, line: output.statusLine() });
  }

  async function settingsFor(url: string, key: string | undefined): Promise<RemoteSettings> {
    return {
      ...clientTools(shared),
      baseUrl: url,
      key,
      insecureHttp,
      env: runtime.env,
      timeout: settings.timeout,
      retries: settings.retries,
      isPatient: settings.sources.retries === "default",
      watch: await watchOf(url),
      beforeChange,
      behaviour: url === baseUrl ? await behaviourOf(settings) : {},
    };
  }

  /** Returns the settings of the chosen service, with what hints of its errors name. */
  async function chosenSettings(): Promise<RemoteSettings> {
    return {
      ...(await settingsFor(baseUrl!, await keys.remote())),
      recent,
      // They select the same service again in a command to paste.
      targetOptions: [
        ...targetOptions(settings, false),
        ...(insecureHttp ? ["--insecure-http"] : []),
      ].map(shellWord),
      keyHint: keyHint(settings),
      isOfProfile: settings.sources.baseUrl === "profile",
    };
  }

  async function open(given: RemoteSettings): Promise<OpenRemote> {
    const { openRemote } = await import("../client/client.ts");
    const opened = await openRemote(given);
    if (runtime.leavesConnections !== true) cleanups.push(opened.close);
    return opened;
  }

  /** Opens the service. @throws SendctlError "usage" for an invalid URL, "auth" for such a key */
  const connect = once(() => chosenSettings().then(open));
  const endpoint: Endpoint = {
    service: serviceOf((name) => async (input) => {
      const operate: OperationHandler = (await connect()).service[name];
      return operate(input);
    }),
    send: async (request) => (await connect()).send(request),
    hintFor: async (path, reply) => (await connect()).hintFor(path, reply),
  };
  const connected: Layer = async (_, next) => {
    await connect();
    return next();
  };
  return {
    chosenSettings,
    /** The chosen service, which its first request opens. */
    endpoint,
    /** Opens the chosen service before anything else happens. */
    connected,
    /** Opens another service. */
    openAt: async (url: string, key: string): Promise<OpenRemote> =>
      open(await settingsFor(url, key)),
  };
}

/** The engines of a command, each opened when it is first used. */
export type Engines = ReturnType<typeof createEngines>;

/** Creates the engines of a command. */
export function createEngines(shared: Shared, keys: Keys) {
  const { settings, runtime, cleanups } = shared;
  const { databaseUrl, timeout } = settings;
  const { now } = runtime;
  const closedAtEnd = (opened: Embedded): Embedded => {
    cleanups.push(opened.close);
    return opened;
  };
  const openAnother = async (options: OpenOptions, file?: string): Promise<Embedded> => {
    const { createEmbedded, openEmbedded } = await import("../engine/embedded.ts");
    if (file !== undefined || databaseUrl === undefined) {
      return closedAtEnd(openEmbedded(file ?? databaseFile(settings), now, options));
    }
    const { openPostgresStore } = await import("../engine/postgres/store.ts");
    const store = await openPostgresStore(databaseUrl.url, runtime, now, timeout);
    return closedAtEnd(createEmbedded(store, now, options.behaviour));
  };
  const engine = once(async () => {
    const { createEmbedded } = await import("../engine/embedded.ts");
    const { openMemoryStore, openSqliteStore } = await import("../engine/sqlite/store.ts");
    const openEmpty = (): Store => openMemoryStore(now);
    if (databaseUrl !== undefined) {
      const { openPostgresStore } = await import("../engine/postgres/store.ts");
      const store = await openPostgresStore(databaseUrl.url, runtime, now, timeout, openEmpty);
      return closedAtEnd(createEmbedded(store, now));
    }
    const { openLateStore } = await import("../engine/store/store.ts");
    const store = openLateStore({
      create: () => openSqliteStore(databaseFile(settings), now),
      openEmpty,
      isMissing: () => isMissingDatabase(settings),
    });
    return closedAtEnd(createEmbedded(store, now));
  });
  const integration = once(async () => {
    const opened = await engine();
    const { key, source } = await keys.local(opened);
    return opened.integration(key, source);
  });
  const service = async (): Promise<Service> => (await integration()).service;
  return {
    /** Returns the engine on the chosen database. A missing file is created by its first record. */
    engine,
    /** Returns the operations of that engine on the selected integration. */
    service,
    /** The same operations as `serve` responds, without HTTP; the first opens the engine. */
    endpoint: {
      service: serviceOf((name) => async (input) => {
        const operate: OperationHandler = (await service())[name];
        return operate(input);
      }),
      send: async (request) => {
        const { respondInProcess } = await import("../server/serve.ts");
        return respondInProcess(await engine(), await service(), request);
      },
    } satisfies Endpoint,
    /** Returns that integration: its contacts, its sender IDs of groups, and its groups by name. */
    integration,
    /** Opens a separate engine. @param file database file, instead of the chosen database */
    openAnother,
  };
}

/**
 * Returns whether the database is a file that does not exist.
 *
 * @throws SendctlError "database" if its path was given and its folder does not exist either
 */
export function isMissingDatabase(settings: Settings): boolean {
  const { database, databaseUrl, sources } = settings;
  if (databaseUrl !== undefined || mayExist(databaseFile(settings))) return false;
  if (sources.database === "default" || mayExist(dirname(database))) return true;
  throw new SendctlError(
    "database",
    `the database ${database} does not exist, and neither does its folder`,
    { hint: "check its path" },
  );
}

/** Returns false only for a missing path and an empty file. Opening reports any other problem. */
function mayExist(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !(found.isFile() && found.size === 0);
  } catch {
    return true;
  }
}
