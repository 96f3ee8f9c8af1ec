import type { Tls } from "../core/certificate.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { Answer, ReceivedRequest } from "./control/recording.ts";
import type { FaultInjector } from "./inject-faults.ts";
import type { BufferedBytes, RateLimit } from "./limits.ts";
import type { RequestLogEntry } from "./request-log.ts";

/** How a server listens, and what it reports. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The certificate for HTTPS (default: HTTP). */
  readonly tls?: Tls | undefined;
  /** A key that its owner has chosen: it may lack the form by which others are kept out of logs. */
  readonly givenKey?: string | undefined;
  /** Called after each response. */
  readonly served: (served: RequestLogEntry) => void;
  /** Whether log entries have the bodies (default: false). */
  readonly logsBodies?: boolean | undefined;
  /**
   * Called for each request but those for public endpoints, when it is complete or refused. What it returns receives the
   * response as soon as that is on its way.
   */
  readonly record?: ((request: ReceivedRequest) => (answer: Answer) => void) | undefined;
}

export interface ServerOptions
  extends ListenOptions, Pick<Embedded, "callerOf" | "checkHealth" | "changed" | "refuse"> {
  /** For creates: see `createAtOnce` in handle.ts. Undefined to look every key up. */
  readonly rememberedCaller?: Embedded["rememberedCaller"] | undefined;
  readonly rules: ServerRules;
  /** Limit for requests that use the database concurrently; others are rejected with a 503. */
  readonly maxConcurrentRequests: number;
  /** Reports a bug, whose details are hidden from the client. */
  readonly defect: (error: unknown) => void;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
}

/** What may be replaced while a server runs. */
export interface ServerRules {
  /** Undefined for no limit. */
  rateLimit: RateLimit | undefined;
  /** Returns what injects faults into requests of an integration; undefined if nothing does. */
  readonly faultsOf: (integration: string) => FaultInjector | undefined;
}

/** A running server. */
export interface ServerState extends ServerOptions {
  /** Aborted when the server stops: connections are closed after their last response. */
  readonly stopping: AbortSignal;
  /** Resolves when a stopping server accepts no more connections. Until then, it sends no response. */
  readonly portClosed: Promise<unknown>;
  /** Number of requests that are using the database. */
  inFlight: number;
  /** Incomplete request bodies. */
  readonly bodies: BufferedBytes;
  /** Unread responses. */
  readonly unread: BufferedBytes;
  readonly createId: () => string;
}
