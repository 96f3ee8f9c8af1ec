import type { Readable } from "node:stream";
import type { Config } from "../config/profiles.ts";
import type { Settings } from "../config/settings.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Request } from "../contract/request.ts";
import type { PageQuery, Reply, Service } from "../contract/service.ts";
import type { CheckResult } from "../doctor/check.ts";
import type { Contacts } from "../engine/contacts/contacts.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { CopyReport, CopyStep } from "../engine/maintenance/copy.ts";
import type { Maintenance } from "../engine/maintenance/maintenance.ts";
import type { Diagnostic } from "../core/error.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { Output } from "../output/output.ts";
import type { ProbeTarget } from "../probe/session.ts";
import type { Prompter } from "../output/prompts/prompter.ts";
import type { StopSignal } from "../core/programs.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Access } from "./local-engine.ts";
import type { InjectedFault } from "../server/faults.ts";
import type { LogReader } from "../server/log-file.ts";
import type { Serving, ServingOptions } from "../server/serve.ts";

/**
 * What the `run` of a command may use. Each command takes only the capabilities that it needs; expensive ones are
 * created on first use.
 */
export interface Capabilities {
  /** The chosen service: remote, or the engine in this process. Its first operation opens it. */
  readonly service: Service;
  readonly target: Target;
  /** Throws SendctlError "usage" with the option `--base-url` or `--dry-run`. */
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

/** Access to the chosen service beyond `service`. */
interface Target {
  /** The service even with `--dry-run`, for commands whose dry run reads and shows a plan. */
  readonly service: Service;
  /** Names the target on stderr, unless that was done before. The first write to a remote service does it, too. */
  readonly announce: () => Promise<void>;
  /** Sends any request and returns the unchanged response. */
  readonly send: (request: Request) => Promise<Reply>;
  /** Returns the service for a probe: single requests, also without its key. @throws SendctlError "auth", "usage" */
  readonly probe: () => Promise<ProbeTarget>;
  /** Checks a base URL that is not configured yet. @throws SendctlError "usage" for an invalid one */
  readonly checkBaseUrl: (baseUrl: string) => Promise<void>;
  /** Opens another remote service, which is not configured yet. @throws SendctlError "usage" */
  readonly serviceAt: (baseUrl: string, key: string) => Promise<Service>;
}

/**
 * The embedded engine. With access "read" (default: "write") nothing is created, and a given path in a missing folder
 * throws SendctlError "database".
 */
interface Local {
  readonly engine: (access?: Access) => Promise<Embedded>;
  /** Returns the operations on the selected integration, even if a remote service is chosen. */
  readonly service: (access: Access) => Promise<Service>;
  /** Returns the key that selects the integration. */
  readonly key: (access?: Access) => Promise<LocalKey>;
  /** Returns the maintenance of the database: backup, restore, check, reset. */
  readonly database: (access?: Access) => Promise<Maintenance>;
  /** Returns the contacts of the selected integration. */
  readonly contacts: (access?: Access) => Promise<Contacts>;
  /** Opens the log of served requests, beside the database. @throws SendctlError "usage" if it cannot be read */
  readonly readLog: () => Promise<LogReader>;
  /** Parses the faults of `--fault`. @throws SendctlError "usage" */
  readonly faults: (specifications: readonly string[]) => Promise<readonly InjectedFault[]>;
  /** Returns the OpenAPI document of a service with this behaviour. */
  readonly openApi: (behaviour: PartialBehaviour | undefined) => Promise<object>;
  /** Copies the database to another. */
  readonly copyTo: (to: string, step: CopyStep) => Promise<CopyReport>;
  /**
   * Connects to a PostgreSQL database once.
   *
   * @throws SendctlError "database" if it cannot be reached, or the signal is aborted
   */
  readonly reach: (signal: AbortSignal) => Promise<void>;
  /** Serves the engine on a port, and logs the requests beside the database. */
  readonly serve: (options: LoggedServingOptions) => Promise<Serving>;
  /** Serves an engine on a database that is deleted when the command ends. */
  readonly serveTemporarily: (
    options: LoggedServingOptions,
  ) => Promise<Serving & { readonly database: string }>;
}

interface LoggedServingOptions extends Omit<ServingOptions, "served"> {
  /** Name of this server in the log. */
  readonly instance: string;
  /** Whether the log is also printed on stderr. */
  readonly isLogPrinted: boolean;
}

/** Asks a person, if there is one. */
export interface Ask {
  /** Returns undefined if questions are not allowed or not possible. */
  readonly prompter: () => Prompter | undefined;
  /** Returns a function that lists the records of the chosen service to choose from. */
  readonly list: (name: "sender-id.list" | "group.list") => (query: PageQuery) => Promise<Reply>;
}

/** The settings of this command, and the profiles of the config file. */
interface ConfigAccess {
  readonly settings: Settings;
  /** @throws SendctlError "usage" if the config file is invalid */
  readonly read: () => Config;
  /** Changes the config file: see src/config/write-profiles.ts. */
  readonly change: (change: (config: Config) => Config) => Promise<void>;
  /** Runs a key command and returns the key that it prints. @throws SendctlError "auth" */
  readonly keyOf: (keyCommand: string) => Promise<string>;
  /** Returns what is known of the behaviour of the target. @throws SendctlError "usage" for an invalid one in the profile */
  readonly behaviourOf: (settings: Settings) => Promise<PartialBehaviour>;
  /** Returns the settings with this profile, or with the chosen one. */
  readonly settingsWith: (profile: string | undefined) => Settings;
}

/** What `apply` stores about the chosen target between runs: see src/config/state-file.ts. */
interface State {
  /** Returns undefined if nothing is stored or readable. */
  readonly read: () => Promise<string | undefined>;
  /**
   * Waits until no other `apply` of this user changes the target.
   *
   * @param waiting called once if there is one
   * @throws SendctlError "differences" after 10 minutes, another one or a system error if nothing can be written
   */
  readonly hold: (waiting: () => Promise<void>) => Promise<HeldState>;
}

/** The state of a target while no other `apply` of this user can change it. */
export interface HeldState {
  /** @param text undefined to remove the state @throws a system error */
  readonly write: (text: string | undefined) => void;
  readonly release: () => void;
}

interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** @throws SendctlError "cancelled" or "terminated" on a signal */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** This process and its child processes. */
interface Processes {
  /** Starts a program: see src/core/programs.ts. */
  readonly run: Runtime["run"];
  readonly env: Runtime["env"];
  /** Resolves when a signal asks this process to end. */
  readonly stopped: () => Promise<StopSignal>;
  /**
   * Makes later writes to standard error drop unread text instead of waiting for a reader. Returns a function that
   * flushes the rest, with a short timeout.
   */
  readonly dropUnreadErrors: () => Promise<() => Promise<void>>;
  /** Calls `listener` on these signals, which then do not end the process. */
  readonly onSignal: (
    signals: readonly StopSignal[],
    listener: (signal: StopSignal) => void,
  ) => void;
}

/** Standard input, and the files that a command reads. */
interface Input {
  /** Whether standard input is a terminal. */
  readonly isTyped: () => boolean;
  /** Reads standard input to its end, or until more than `limit` bytes have been read. */
  readonly read: (limit?: number) => Promise<Uint8Array>;
  readonly stream: () => Readable;
  /** Returns the absolute path of a file given on the command line. */
  readonly path: (file: string) => string;
  /**
   * Reads a manifest from the files of `-f`.
   *
   * @param envPrefix prefix of the environment variables that it may read
   * @throws SendctlError "usage"
   */
  readonly manifest: (
    files: readonly string[],
    envPrefix?: string,
  ) => Promise<{ readonly manifest: Manifest } | { readonly diagnostics: readonly Diagnostic[] }>;
  /** Reads a behaviour file; `-` is standard input. @throws SendctlError "usage" */
  readonly behaviour: (file: string) => Promise<PartialBehaviour>;
}

interface Doctor {
  /** Checks this installation and its target without changing anything. */
  readonly diagnose: () => Promise<readonly CheckResult[]>;
}

/** The key of an integration of the embedded engine. Without a key, the default integration is used. */
export interface LocalKey {
  readonly key: string | undefined;
  /** The source of the key, unless it is SENDCTL_SECRET_KEY. */
  readonly source: string | undefined;
}
