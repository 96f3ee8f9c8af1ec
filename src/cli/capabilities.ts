import type { Readable } from "node:stream";
import type { Config } from "../config/profiles.ts";
import type { Settings } from "../config/settings.ts";
import type { Request } from "../contract/request.ts";
import type { PageQuery, Reply, Service } from "../contract/service.ts";
import type { CheckResult } from "../doctor/check.ts";
import type { Contacts } from "../engine/contacts/contacts.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { CopyReport, CopyStep } from "../engine/maintenance/copy.ts";
import type { Maintenance } from "../engine/maintenance/maintenance.ts";
import type { Diagnostic, Manifest } from "../manifest/manifest.ts";
import type { Output } from "../output/output.ts";
import type { Prompter } from "../prompts/prompter.ts";
import type { StopSignal } from "../runtime/run-program.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Access } from "./local-engine.ts";
import type { Serving, ServingOptions } from "./serve-engine.ts";

/**
 * What the `run` of a command takes: those of them that it uses, and nothing else. Whatever costs time is
 * made when it is first used.
 */
export interface Capabilities {
  /** The chosen service: remote, or the engine in this process. It is opened by its first operation. */
  readonly service: Service;
  readonly target: Target;
  readonly local: Local;
  readonly output: Output;
  readonly ask: Ask;
  readonly config: ConfigAccess;
  readonly state: State;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly input: Input;
  readonly doctor: Doctor;
}

/** The chosen service beyond its operations. */
interface Target {
  /** Its operations, with `--dry-run` as well: for a command whose dry run reads, and shows a plan. */
  readonly service: Service;
  /** Sends any request, and returns its response as it came. */
  readonly send: (request: Request) => Promise<Reply>;
  /** Another remote service, which is not configured yet. @throws SendctlError "usage" */
  readonly serviceAt: (baseUrl: string, key: string) => Promise<Service>;
}

/**
 * The embedded engine. Every function throws SendctlError "usage" with a base URL or `--dry-run`. With access "read"
 * (default: "write") nothing is created, and a path that was given must have a folder: SendctlError "database".
 */
interface Local {
  readonly engine: (access?: Access) => Promise<Embedded>;
  /** Selects the integration. */
  readonly key: (access?: Access) => Promise<LocalKey>;
  /** The database as a whole: backup, restore, check, reset. */
  readonly database: (access?: Access) => Promise<Maintenance>;
  /** The contacts of the selected integration. */
  readonly contacts: (access?: Access) => Promise<Contacts>;
  /** The file beside the database that a server logs its requests to. */
  readonly requestLog: (access?: Access) => string;
  /** Copies the database to another. */
  readonly copyTo: (to: string, step: CopyStep) => Promise<CopyReport>;
  /** Serves the engine on a port. */
  readonly serve: (options: ServingOptions) => Promise<Serving>;
  /** Serves an engine on a database that is deleted when the command ends. */
  readonly serveTemporarily: (
    options: ServingOptions,
  ) => Promise<Serving & { readonly database: string; readonly requestLog: string }>;
}

/** Asks a person, where there is one. */
export interface Ask {
  /** Undefined where nobody can be asked. */
  readonly prompter: () => Prompter | undefined;
  /** Lists the records of the chosen service that a person can choose from. */
  readonly list: (name: "sender-id.list" | "group.list") => (query: PageQuery) => Promise<Reply>;
}

/** The settings of this command, and the profiles of the config file. */
interface ConfigAccess {
  readonly settings: Settings;
  /** @throws SendctlError "usage" where the config file cannot be understood */
  readonly read: () => Config;
  /** Changes the config file: see src/config/write-profiles.ts. */
  readonly change: (change: (config: Config) => Config) => Promise<void>;
  /** Runs a key command, and returns the key that it prints. @throws SendctlError "auth" */
  readonly keyOf: (keyCommand: string) => Promise<string>;
  /** The settings with another profile, or with the chosen one. */
  readonly settingsWith: (profile: string | undefined) => Settings;
}

/** What `apply` remembers of the chosen target from one run to the next. */
interface State {
  /** Undefined where nothing is remembered, or nothing can be read. */
  readonly read: () => Promise<string | undefined>;
  /**
   * Changes it: see src/config/state-file.ts. Nothing is written with `--dry-run`.
   *
   * @throws SendctlError, or an error of the system, where that is not possible
   */
  readonly change: (change: (text: string | undefined) => string | undefined) => Promise<void>;
}

interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment; never set back. */
  readonly elapsed: () => number;
  /** @throws SendctlError "cancelled" or "terminated" at a signal */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** This process and those that it starts. */
interface Processes {
  /** Starts a program: see src/runtime/run-program.ts. */
  readonly run: Runtime["run"];
  readonly env: Runtime["env"];
  /** Fulfilled when this process is asked to end. */
  readonly stopped: () => Promise<StopSignal>;
  /**
   * From now on drops what nobody reads from standard error, instead of waiting for a reader. Returns what ends that:
   * it waits a moment for what has not been read.
   */
  readonly dropUnreadErrors: () => Promise<() => Promise<void>>;
  /** Calls `heard` at these signals, which then do not end the process. */
  readonly onSignal: (signals: readonly StopSignal[], heard: (signal: StopSignal) => void) => void;
}

/** Standard input, and the files that a command reads. */
interface Input {
  /** Whether standard input is a terminal. */
  readonly isTyped: () => boolean;
  /** All of standard input. It stops reading once `limit` bytes are exceeded. */
  readonly read: (limit?: number) => Promise<Uint8Array>;
  readonly stream: () => Readable;
  /** Returns the absolute path of a file that an argument names. */
  readonly path: (file: string) => string;
  /**
   * Reads the manifest in files as `-f` names them.
   *
   * @param envPrefix the beginning of the variables that it may read
   * @throws SendctlError "usage"
   */
  readonly manifest: (
    files: readonly string[],
    envPrefix?: string,
  ) => Promise<{ readonly manifest: Manifest } | { readonly diagnostics: readonly Diagnostic[] }>;
}

interface Doctor {
  /** Checks this installation and its target. Nothing is changed. */
  readonly diagnose: () => Promise<readonly CheckResult[]>;
}

/** The key of an integration of the embedded engine; the default one is used without a key. */
export interface LocalKey {
  readonly key: string | undefined;
  /** What holds the key, where that is not SENDCTL_SECRET_KEY. */
  readonly source: string | undefined;
}
