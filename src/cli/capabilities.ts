import type { Readable } from "node:stream";
import type { Config } from "../config/profiles.ts";
import type { Settings } from "../config/settings.ts";
import type { Request } from "../contract/request.ts";
import type { PageQuery, Reply, Service } from "../contract/service.ts";
import type { Finding } from "../doctor/check.ts";
import type { Contacts } from "../engine/contacts/contacts.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { CopyReport, CopyStep } from "../engine/maintenance/copy.ts";
import type { DatabaseKeeping } from "../engine/maintenance/maintenance.ts";
import type { Fault, Manifest } from "../manifest/manifest.ts";
import type { Output } from "../output/output.ts";
import type { Prompter } from "../prompts/prompter.ts";
import type { StopSignal } from "../runtime/run-program.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Serving, ServingOptions } from "./serve-engine.ts";

/**
 * What the `run` of a command takes: those of them that it uses, and nothing else. Whatever costs time is
 * made when it is first used.
 */
export interface Capabilities {
  /** The chosen service: remote, or the engine in this process. It is opened by its first operation. */
  readonly service: Service;
  readonly local: Local;
  readonly output: Output;
  readonly ask: Ask;
  readonly config: ConfigAccess;
  readonly clock: Clock;
  readonly processes: Processes;
  readonly input: Input;
  readonly doctor: Doctor;
  /** For commands that were not converted yet. */
  readonly context: Context;
}

/** The embedded engine. Every function throws SendctlError "usage" with a base URL or `--dry-run`. */
export interface Local {
  readonly engine: () => Promise<Embedded>;
  /** Selects the integration. */
  readonly key: LocalKey;
  /** The database as a whole: backup, restore, check, reset. */
  readonly database: () => Promise<DatabaseKeeping>;
  /** The contacts of the selected integration. */
  readonly contacts: () => Promise<Contacts>;
  /** The file beside the database that a server logs its requests to. */
  readonly requestLog: () => string;
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
export interface ConfigAccess {
  readonly settings: Settings;
  /** @throws SendctlError "usage" where the config file cannot be understood */
  readonly read: () => Config;
  /** Changes the config file: see src/config/write-profiles.ts. */
  readonly change: (change: (config: Config) => Config) => Promise<void>;
  /** The settings with another profile, or with the chosen one. */
  readonly settingsWith: (profile: string | undefined) => Settings;
}

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment; never set back. */
  readonly elapsed: () => number;
  /** @throws SendctlError "cancelled" or "terminated" at a signal */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** This process and those that it starts. */
export interface Processes {
  /** Starts a program: see src/runtime/run-program.ts. */
  readonly run: Runtime["run"];
  readonly env: Runtime["env"];
  /** Fulfilled when this process is asked to end. */
  readonly stopped: () => Promise<StopSignal>;
  /** Calls `heard` at these signals, which then do not end the process. */
  readonly onSignal: (signals: readonly StopSignal[], heard: (signal: StopSignal) => void) => void;
}

/** Standard input, and the files that a command reads. */
export interface Input {
  /** Whether standard input is a terminal. */
  readonly isTyped: () => boolean;
  /** All of standard input. It stops reading once `limit` bytes are exceeded. */
  readonly read: (limit?: number) => Promise<Uint8Array>;
  readonly stream: () => Readable;
  /** The manifest in files as `-f` names them. @throws SendctlError "usage" */
  readonly manifest: (
    files: readonly string[],
  ) => Promise<{ readonly manifest: Manifest } | { readonly faults: readonly Fault[] }>;
}

export interface Doctor {
  /** Checks this installation and its target. Nothing is changed. */
  readonly diagnose: () => Promise<readonly Finding[]>;
}

/** The key of an integration of the embedded engine; the default one is used without a key. */
export interface LocalKey {
  readonly key: string | undefined;
  /** What holds the key, where that is not SENDCTL_SECRET_KEY. */
  readonly source: string | undefined;
}

/**
 * Every capability in one flat type, from before there were capabilities. A command that was not converted
 * yet takes it as `context`.
 */
export interface Context {
  readonly capabilities: Capabilities;
  readonly settings: Settings;
  /** Whichever is chosen: the remote service, or the engine in this process. */
  readonly service: () => Promise<Service>;
  /** Any request to it, answered as it is. */
  readonly send: (request: Request) => Promise<Reply>;
  /** The engine in this process, for whoever owns its database. @throws SendctlError "usage" with a base URL */
  readonly local: () => Promise<Embedded>;
  /** What selects the integration in there. */
  readonly localKey: LocalKey;
  /** Copies that database to another. @throws SendctlError "usage" with a base URL */
  readonly copyDatabase: (to: string, step: CopyStep) => Promise<CopyReport>;
  /** What groups hold in there, of the integration that the key selects. @throws as `local` does */
  readonly contacts: () => Promise<Contacts>;
  /**
   * The file that a server keeps its requests in, beside the database.
   *
   * @throws SendctlError "usage" with a base URL
   */
  readonly requestLog: () => string;
  /** The same engine, on a port. */
  readonly serve: (options: ServingOptions) => Promise<Serving>;
  /** The engine's database as a whole. @throws SendctlError "usage" with a base URL */
  readonly localDatabase: () => Promise<DatabaseKeeping>;
  /** One on a database that is gone when the command is done: where that is, and its log of requests. */
  readonly serveTemporarily: (
    options: ServingOptions,
  ) => Promise<Serving & { readonly database: string; readonly requestLog: string }>;
  /** Starts a program: see src/runtime/run-program.ts. */
  readonly run: Runtime["run"];
  /** The environment, as handed in. */
  readonly env: Runtime["env"];
  /** A remote service that is not configured yet. @throws SendctlError "usage" where it can't be used */
  readonly serviceAt: (baseUrl: string, key: string) => Promise<Service>;
  /** What the config file says. @throws SendctlError "usage" where it can't be understood */
  readonly config: () => Config;
  /** Has the config file say something else: see src/config/write-profiles.ts. */
  readonly changeConfig: (change: (config: Config) => Config) => Promise<void>;
  /** What the settings are with a profile, or with the one that is chosen. */
  readonly settingsWith: (profile: string | undefined) => Settings;
  /** Whether standard input is a terminal. */
  readonly isTyped: () => boolean;
  /** What is wrong, in here and out there; nothing is changed. */
  readonly diagnose: () => Promise<readonly Finding[]>;
  /** The state that is wanted, from files as `-f` names them. @throws SendctlError "usage" */
  readonly manifest: (
    files: readonly string[],
  ) => Promise<{ readonly manifest: Manifest } | { readonly faults: readonly Fault[] }>;
  /** All of standard input, or what is more of it than so many bytes. */
  readonly readInput: (limit?: number) => Promise<Uint8Array>;
  /** Standard input, piece by piece. */
  readonly input: () => Readable;
  /** Fulfilled when the process is asked to end. */
  readonly stopped: () => Promise<StopSignal>;
  /** Has these signals heard, instead of ending the process. */
  readonly onSignal: (signals: readonly StopSignal[], heard: (signal: StopSignal) => void) => void;
  /** Undefined where there is nobody to ask. */
  readonly prompter: () => Prompter | undefined;
  /** Shows data on stdout, and everything else on stderr. */
  readonly output: Output;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, never set back. */
  readonly elapsed: () => number;
  /** Fulfilled after so many milliseconds. @throws SendctlError "cancelled", "terminated" at a signal */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly close: () => Promise<void>;
}
