import { createEngines, type Engines } from "./engines.ts";
import type { Writers } from "../output/writer.ts";
import { configFile, readConfig, type Config } from "../config/profiles.ts";
import {
  lenientSettings,
  resolveSettings,
  isPlain,
  takesColour,
  type GlobalOptions,
} from "../config/settings.ts";
import type { SendctlError } from "../core/error.ts";
import { createOutput } from "../output/output.ts";
import { safeText } from "../core/text.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Runtime } from "../core/runtime.ts";
import { type Cleanups, type Shared, createAsk, createInput, createProcess } from "./process.ts";
import { type Keys, createConfig, createKeys, createState } from "./config.ts";
import { createLocal } from "./local.ts";
import { createTarget } from "./target.ts";

/** The capabilities of a command, and a function that releases them. */
export type Context = ReturnType<typeof createContext>;

/**
 * What the `run` of a command may use. Each command takes only the capabilities that it needs; expensive ones are
 * created on first use.
 */
export type Capabilities = Omit<Context, "close">;

/**
 * Creates the context of a command from its parts. Each part opens what it needs when it is first used.
 *
 * @param usesProfiles false for commands that manage profiles, which must run even if the config file is invalid
 * @param argv the words after `sendctl`
 * @throws SendctlError "usage" if the settings are invalid
 */
export function createContext(
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
    database: isRemote ? undefined : settings.database,
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
  let created: Engines | undefined;
  const engines = (): Engines => (created ??= createEngines(shared, keys));
  const { service, target } = createTarget(shared, config, keys, engines);
  return {
    /** The chosen service: remote, or the engine in this process. Its first operation opens it. */
    service,
    target,
    /** Throws SendctlError "usage" with the option `--base-url` or `--dry-run`. */
    get local() {
      const { isTrial, beforeDatabase } = target;
      const given = { ...options, dryRun: options.dryRun === true && !isTrial() };
      return createLocal(shared, given, keys, engines(), beforeDatabase);
    },
    output,
    ask: createAsk(
      shared,
      options,
      service,
      async (name) => (await engines().integration()).groupsNamed(name),
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

/** Checks the installation and its target. @param settingsErrors the errors of settings that were ignored */
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
