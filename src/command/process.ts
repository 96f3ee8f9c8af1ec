import { setMaxListeners } from "node:events";
import type { RemoteOptions } from "../client/calls.ts";
import { type GlobalOptions, type Settings, isPlain, takesColour } from "../config/settings.ts";
import { lineFor } from "../config/target.ts";
import { SendctlError, stoppedBy } from "../core/error.ts";
import type { StopSignal } from "../core/programs.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Output } from "../output/output.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Writers } from "../output/terminal.ts";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Field } from "../contract/resources.ts";
import type { TextChecks } from "../manifest/read-record.ts";
import type { Group, Service } from "../contract/service.ts";
import { safeText } from "../core/text.ts";
import { type RecordKind } from "../contract/resources.ts";
import type { List, OwnView } from "../service/read-list.ts";
import { createPrompter, isInteractive } from "../output/prompts/prompter.ts";
import type { Prompter } from "../output/prompts/questions.ts";

/** Returns a function that calls another once, and then always returns its result. */
export function once<Result>(create: () => Result): () => Result {
  let created: { readonly result: Result } | undefined;
  return () => (created ??= { result: create() }).result;
}

/** Functions that are called at the end of a command, the last one first. */
export type Cleanups = (() => Promise<void> | void)[];

/** What the parts of a context share. */
export interface Shared {
  readonly settings: Settings;
  readonly runtime: Runtime;
  /** The words after `sendctl`. */
  readonly argv: readonly string[];
  readonly output: Output;
  readonly writers: Writers;
  readonly secrets: Secrets;
  /** Prints lines on stderr with `--debug`. */
  readonly debug: (text: string) => Promise<void>;
  readonly cleanups: Cleanups;
  /** Returns the signal that aborts all work: on a process signal, or when the command ends. */
  readonly stopSignal: () => AbortSignal;
}

/** Creates the clock of a command, and what it may do with its process. */
export function createProcess(runtime: Runtime, cleanups: Cleanups) {
  let stop: AbortController | undefined;
  const stopSignal: Shared["stopSignal"] = () => {
    if (stop !== undefined) return stop.signal;
    const controller = (stop = new AbortController());
    // Every concurrent request adds a listener.
    setMaxListeners(0, controller.signal);
    cleanups.push(runtime.onStop((signal) => controller.abort(signal)));
    cleanups.push(() => controller.abort());
    return controller.signal;
  };
  return {
    clock: {
      /** Milliseconds since 1970. */
      now: () => runtime.now() / 1000,
      /** Milliseconds of a monotonic clock. */
      elapsed: runtime.elapsed,
      /** @throws SendctlError "cancelled" or "terminated" on a signal */
      sleep: async (milliseconds: number): Promise<void> => {
        const signal = stopSignal();
        await runtime.sleep(milliseconds, signal).catch(() => {
          throw stoppedBy(signal.reason);
        });
      },
    },
    processes: {
      /** Starts a program: see src/core/programs.ts. */
      run: runtime.run,
      env: runtime.env,
      /** Resolves on a signal to end the process. @param signals (default: SIGINT and SIGTERM) */
      stopped: (signals?: readonly StopSignal[]) =>
        new Promise<StopSignal>((resolve) => cleanups.push(runtime.onStop(resolve, signals))),
      /**
       * Makes later writes to standard error drop unread text instead of waiting for a reader.
       * Returns a function that flushes the rest, with a short timeout.
       */
      dropUnreadErrors: async () => (await runtime.stderr.dropUnread?.()) ?? (async () => {}),
      /** Calls `listener` instead of ending on signals. Returns a function that removes it. */
      onSignal: (signals: readonly StopSignal[], listener: (signal: StopSignal) => void) => {
        const remove = runtime.onStop(listener, signals);
        cleanups.push(remove);
        return remove;
      },
    },
    stopSignal,
  };
}

/** The clock of a command. */
export type Clock = ReturnType<typeof createProcess>["clock"];

/** Returns the parts of the process and the output that a client uses. */
export function clientTools({ settings, runtime, output, secrets, debug, stopSignal }: Shared) {
  return {
    signal: stopSignal(),
    now: () => runtime.now() / 1000,
    elapsed: runtime.elapsed,
    random: runtime.random,
    sleep: runtime.sleep,
    hide: secrets.hide,
    note: output.warn,
    mayWarn: async () => {
      const { isFirst } = await import("../config/state-file.ts");
      return isFirst("warned", settings, runtime);
    },
    senderIds: {
      seen: async () => {
        const { isFirst } = await import("../config/state-file.ts");
        isFirst("shows-sender-id", settings, runtime);
      },
      wereSeen: async () => {
        const { isMarked } = await import("../config/state-file.ts");
        return isMarked("shows-sender-id", settings, runtime);
      },
    },
    log: debug,
  } satisfies Partial<RemoteOptions>;
}

/** Refuses `--database` where a temporary database is used; variables and profiles are ignored. */
export function refuseDatabase({ sources }: Settings): void {
  if (sources.database !== "flag") return;
  const hint = "omit --database";
  throw new SendctlError("usage", "this command uses a temporary database", { hint });
}

/** Asks a person, if there is one. */
export type Ask = ReturnType<typeof createAsk>;

/**
 * Creates the questions of a command.
 *
 * @param service whose records can be chosen
 * @param groupsNamed looks up groups of the embedded engine
 * @param ownView what this user's writes of the last minute have made of a list of a service
 * @param before called before each question
 */
export function createAsk(
  { settings, runtime, secrets }: Shared,
  options: GlobalOptions,
  service: Service,
  groupsNamed: (name: string) => Promise<readonly Group[]>,
  ownView: (kind: RecordKind) => Promise<OwnView>,
  before: () => Promise<void>,
) {
  const shownAs = (text: string): string => safeText(secrets.hide(text));
  return {
    /** Returns undefined if questions are not allowed or not possible. */
    prompter: (): Prompter | undefined => {
      if (!settings.mayAsk || !isInteractive(runtime)) return undefined;
      const colour = takesColour(true, options, runtime.env);
      return createPrompter(runtime, { shownAs, colour, before }, isPlain(runtime.env));
    },
    /** Returns a function that lists the records of the chosen service to choose from. */
    list:
      (name: "sender-id.list" | "group.list"): List =>
      (query) =>
        service[name]({ query }),
    /** Returns a list with this user's own writes. Undefined for the engine, which shows them. */
    ownView: settings.baseUrl === undefined ? undefined : ownView,
    /** Returns why the engine refuses a text. Undefined for a service: its rules are unknown. */
    refusedText: async (field: Field, text: string): Promise<string | undefined> => {
      if (settings.baseUrl !== undefined) return undefined;
      return (await import("../engine/rules/validation.ts")).refusedText(field, text);
    },
    /** Returns the groups with a name. Undefined for a service, which can only list them. */
    groupsNamed: settings.baseUrl === undefined ? groupsNamed : undefined,
    /** Returns a command line for the chosen target, or for its database. */
    line: (words: readonly string[], isEmbedded?: boolean): string =>
      lineFor(settings, words, isEmbedded),
  };
}

/** Creates the input of a command: standard input, and the files that it reads. */
export function createInput(runtime: Runtime) {
  /** Reads standard input to its end, or until more than `limit` bytes have been read. */
  const read = async (limit = Infinity): Promise<Uint8Array> => {
    const { readUpTo } = await import("../core/files.ts");
    return readUpTo(runtime.stdin, limit);
  };
  return {
    /** Whether standard input is a terminal. */
    isTyped: () => runtime.stdin.isTTY === true,
    read,
    stream: () => runtime.stdin as Readable,
    /** Returns the absolute path of a file given on the command line. */
    path: (file: string) => resolve(runtime.folder, file),
    /**
     * Reads a manifest from the files of `-f`.
     *
     * @param envPrefix prefix of the environment variables that it may read
     * @param checks `isStrict` reports what the engine would refuse
     * @throws SendctlError "usage"
     */
    manifest: async (
      files: readonly string[],
      envPrefix?: string,
      { isStrict, warning }: Pick<TextChecks, "warning"> & { readonly isStrict?: boolean } = {},
    ) => {
      const { readManifest, readSources } = await import("../manifest/read.ts");
      const sources = await readSources(files, runtime.folder, read);
      const rules = isStrict === true ? await import("../engine/rules/validation.ts") : undefined;
      const error = rules?.refusedText;
      return readManifest(sources, runtime.env, envPrefix, { error, warning });
    },
    /** Reads a behaviour file; `-` is standard input. @throws SendctlError "usage" */
    behaviour: async (file: string): Promise<PartialBehaviour> => {
      const { readBehaviourFile } = await import("../probe/behaviour-file.ts");
      return readBehaviourFile(file, runtime.folder, read);
    },
  };
}
