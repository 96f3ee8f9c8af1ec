/// <reference lib="esnext.disposable" />
/** The types of `sendctl/testing`, as they are shipped: nothing is imported here. */

/** How a service begins and behaves. */
export interface StartOptions {
  /** The first records: an object like a manifest, or the path of a manifest or of a backup. */
  readonly seed?: Seed | string;
  /** Switches that differ from the service's own: an object, or the path of a behaviour file. */
  readonly behaviour?: Readonly<Record<string, string | number | boolean>> | string;
  /** As `sendctl serve --fault` takes them: `group.create:status=503,times=2`. */
  readonly faults?: readonly string[];
  /** Requests per second for each key (default: no limit). */
  readonly rateLimit?: number;
  /** A duration until a sender ID is approved, like `500ms`; `0s` for at once (default: never). */
  readonly autoApproveAfter?: string;
  /** The key of the default integration: 16 characters or more (default: a random one). */
  readonly key?: string;
  /** Serves HTTPS, with a certificate for 127.0.0.1 or localhost and its key, in PEM. */
  readonly tls?: { readonly cert: string | Uint8Array; readonly key: string | Uint8Array };
}

/** The status of a sender ID, in any case. */
export type Status =
  | "APPROVED"
  | "REJECTED"
  | "PENDING"
  | Lowercase<"APPROVED" | "REJECTED" | "PENDING">;

export interface Seed {
  readonly sender_ids?: readonly {
    readonly name: string;
    readonly purpose: string;
  }[];
  readonly groups?: readonly {
    readonly name: string;
    readonly send_birthday?: boolean;
    readonly send_holiday?: boolean | null;
    readonly birthday_message?: string | null;
    /** The name of a sender ID. */
    readonly sender_id?: string | null;
  }[];
}

/** What a call is about. */
export interface OfIntegration {
  /** The name of an integration. */
  readonly integration?: string;
}

/** A request, and its response once it is sent. Bodies are parsed; null for none. */
export interface RecordedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The path and the query as they were sent. */
  readonly target: string;
  readonly body: unknown;
  /** The body as it was sent; empty for none. */
  readonly body_text: string;
  /** Null until there is a response, and if an injected fault dropped the connection before it. */
  readonly status: number | null;
  readonly response: unknown;
  /** The response as it was sent; empty for none. */
  readonly response_text: string;
  /** Such as `group.create`; null for a request that is none of the service. */
  readonly operation: string | null;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** The integration of the key; null for an unknown key. */
  readonly integration: string | null;
  /** Milliseconds from the request to its response; null until there is one. */
  readonly ms: number | null;
  readonly request_id: string;
  /** The injected fault that applied. */
  readonly fault: string | null;
  /** By names in lower case, without the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Increases with each request. */
  readonly id: number;
}

/** A running service. A refused call rejects or throws a SendctlError, and changes nothing. */
export interface TestService extends AsyncDisposable {
  /** Base URL: `http://127.0.0.1:40123`. */
  readonly url: string;
  /** A key of the default integration. */
  readonly key: string;
  /** The variables that sendctl and other clients read. */
  readonly env: { readonly SENDCTL_BASE_URL: string; readonly SENDCTL_SECRET_KEY: string };
  /**
   * Restores the records and ids of the start, and forgets requests, faults and counts of the rate
   * limit. Keys stay; other integrations are empty. With an integration, only its records are
   * deleted, and only its requests and faults forgotten.
   */
  reset(options?: Required<OfIntegration>): Promise<void>;
  /** Returns the newest requests, oldest first: 10,000, or 8 MiB of them. Never with the key. */
  requests(options?: OfIntegration): readonly RecordedRequest[];
  /** Resolves with the requests once there are this many, answered or not. */
  received(count: number, options?: OfIntegration): Promise<readonly RecordedRequest[]>;
  /** Replaces the faults of all requests, or those of one integration. */
  faults(specifications: readonly string[], options?: OfIntegration): void;
  /** Sets the status of a sender ID (default: of the default integration). */
  review(name: string, status: Status, options?: OfIntegration): Promise<void>;
  /** Returns another key of an integration of its own, created empty if it does not exist. */
  integration(name: string): Promise<string>;
  /** Ends the service. An open one keeps the process alive, so close it in a hook. */
  close(): Promise<void>;
}

/** Starts the service in this process, on a database in memory and a free port of 127.0.0.1. */
export declare function startService(options?: StartOptions): Promise<TestService>;

export declare class SendctlError extends Error {
  /** Such as `usage` or `database`. */
  readonly kind: string;
  readonly hint?: string;
  /** The option or value that is wrong: `seed.groups[0].name`. */
  readonly field?: string;
}
