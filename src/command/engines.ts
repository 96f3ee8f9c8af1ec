import { statSync } from "node:fs";
import { dirname } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import {
  serviceOf,
  succeeded,
  type Group,
  type OperationHandler,
  type Reply,
  type Service,
} from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import type { Embedded, OpenOptions } from "../engine/embedded.ts";
import type { ConfigAccess, Keys } from "./config.ts";
import type { Shared } from "./process.ts";
import { databaseFile } from "../config/database.ts";

/** What a command does with the database. Only "create", for which no record need exist, creates it. */
export type Access = "read" | "change" | "create";

/** The engines of a command, each opened when it is first used. */
export type Engines = ReturnType<typeof createEngines>;

/** Creates the engines of a command. */
export function createEngines(
  { settings, runtime, cleanups, debug }: Shared,
  keys: Keys,
  { behaviourOf }: ConfigAccess,
) {
  // With a base URL, the behaviour of the profile is that of the remote service.
  const ownBehaviour = async (): Promise<PartialBehaviour> =>
    settings.baseUrl === undefined ? behaviourOf(settings) : {};
  const closedAtEnd = (opened: Embedded): Embedded => {
    cleanups.push(opened.close);
    return opened;
  };
  const openAnother = async (given: OpenOptions, file?: string): Promise<Embedded> => {
    const options = { ...given, behaviour: given.behaviour ?? (await ownBehaviour()) };
    const url = settings.databaseUrl?.url;
    if (file === undefined && url !== undefined) {
      const { openPostgresEmbedded } = await import("../engine/postgres/store.ts");
      const { timeout } = settings;
      return closedAtEnd(
        await openPostgresEmbedded(url, runtime, runtime.now, { ...options, timeout }),
      );
    }
    const { openEmbedded } = await import("../engine/embedded.ts");
    return closedAtEnd(openEmbedded(file ?? databaseFile(settings), runtime.now, options));
  };
  const openEmpty = async (): Promise<Embedded> => {
    const { createEmbedded } = await import("../engine/embedded.ts");
    const { openEmptyStore } = await import("../engine/sqlite/store.ts");
    const store = openEmptyStore(databaseFile(settings), runtime.now);
    return closedAtEnd(createEmbedded(store, runtime.now, await ownBehaviour()));
  };
  let chosen: Promise<Embedded> | undefined;
  let empty: Promise<Embedded> | undefined;
  const open = (access: Access): Promise<Embedded> => {
    if (access === "create") return (chosen ??= openAnother({}));
    if (chosen === undefined) isMissingDatabase(settings);
    return current();
  };
  // Checked each time, because another process may create the file in the meantime.
  const current = (): Promise<Embedded> =>
    chosen === undefined && isAbsent(settings)
      ? (empty ??= openEmpty())
      : (chosen ??= openAnother({}));
  const create = async (run: (engine: Embedded) => Promise<Reply>): Promise<Reply> => {
    if (chosen === undefined && isAbsent(settings)) {
      const rehearsed = await run(await current());
      if (!succeeded(rehearsed)) return rehearsed;
    }
    return run(await open("create"));
  };

  const openService = async (engine: Embedded): Promise<Service> => {
    const { key, source } = await keys.local(engine);
    return engine.service(key, source);
  };
  const services = new Map<Embedded, Promise<Service>>();
  const serviceIn = (engine: Embedded): Promise<Service> => {
    const service = services.get(engine) ?? openService(engine);
    services.set(engine, service);
    return service;
  };
  const creating = serviceOf(
    (name) => async (input) =>
      create(async (engine) => {
        const operation: OperationHandler = (await serviceIn(engine))[name];
        return operation(input);
      }),
  );
  return {
    /** Returns the engine on the chosen database; for a missing file, an empty engine, unless the access creates it. */
    open,
    /** Returns the same without creating a file or checking its folder, for what does not depend on records. */
    current,
    /** Creates a record. If the database is missing, on an empty engine first, so that a refusal does not create it. */
    create,
    /** Returns the operations of that engine on the selected integration. */
    service: async (access: Access): Promise<Service> => {
      const service = access === "create" ? creating : await serviceIn(await open(access));
      return settings.debug ? traced(service, runtime.elapsed, debug) : service;
    },
    /** Returns the name of the sender ID of a group of that integration: see `Embedded`. */
    senderIdOf: async (group: number): Promise<string | null | undefined> => {
      const engine = await current();
      const { key, source } = await keys.local(engine);
      return engine.senderIdOf(group, key, source);
    },
    /** Returns the groups of that integration that use a sender ID: see `Embedded`. */
    groupsOf: async (senderId: string): Promise<readonly Group[]> => {
      const engine = await current();
      const { key, source } = await keys.local(engine);
      return engine.groupsOf(senderId, key, source);
    },
    /** Returns the groups of that integration with a name: see `Embedded`. */
    groupsNamed: async (name: string): Promise<readonly Group[]> => {
      const engine = await open("read");
      const { key, source } = await keys.local(engine);
      return engine.groupsNamed(name, key, source);
    },
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
  const { database, sources } = settings;
  if (!isAbsent(settings)) return false;
  if (sources.database === "default" || mayExist(dirname(database))) return true;
  throw new SendctlError(
    "database",
    `the database ${database} does not exist, and neither does its folder`,
    { hint: "check its path" },
  );
}

function isAbsent(settings: Settings): boolean {
  return settings.databaseUrl === undefined && !mayExist(databaseFile(settings));
}

/** Returns false only for a missing path and an empty file. Opening the database reports every other problem. */
function mayExist(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !(found.isFile() && found.size === 0);
  } catch {
    return true;
  }
}

/**
 * Wraps a service to log each operation with its status and duration.
 *
 * @param elapsed monotonic time in milliseconds
 */
function traced(
  service: Service,
  elapsed: () => number,
  log: (line: string) => Promise<void>,
): Service {
  return serviceOf((name) => {
    const operate: OperationHandler = service[name];
    return async (input) => {
      const startedAt = elapsed();
      const reply = await operate(input);
      const milliseconds = (elapsed() - startedAt).toFixed(1);
      await log(`debug: ${name} returned ${reply.status} in ${milliseconds} ms`);
      return reply;
    };
  });
}
