import type { OperationName } from "../contract/operations.ts";
import type { Service } from "../contract/service.ts";
import type { Failure } from "./dispatch.ts";
import type { PublicEndpoints } from "./public/endpoints.ts";
import type { FaultInjector } from "./inject-faults.ts";

/** The owner of a key. */
interface Caller {
  /** Id of the key, which is not secret. */
  readonly id: string;
  readonly service: Service;
}

/** One request, including those without a response because of an injected fault or an unknown outcome. */
export interface RequestLogEntry {
  /** The id in the response, which the client may have chosen; safe to print. */
  readonly requestId: string;
  /** IP address of the client; undefined if it is unknown. */
  readonly client: string | undefined;
  readonly method: string;
  /** Without query and keys. */
  readonly path: string;
  /** The text after `?`, without keys; may be empty. */
  readonly query: string;
  /** Null if no response was sent. */
  readonly status: number | null;
  /** From the end of the request's headers to the end of the response. */
  readonly milliseconds: number;
  /** Undefined if the request matched no operation. */
  readonly operation: OperationName | undefined;
  /** Id of the key; undefined without a valid key. */
  readonly caller: string | undefined;
  /** The injected fault, as text. */
  readonly fault: string | undefined;
  /** Undefined unless the server could not carry out a valid request. */
  readonly failure: Failure | undefined;
}

export interface ServerOptions extends PublicEndpoints {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Resolves to undefined for an unknown key: specification, part 5. Called for every request. */
  readonly callerOf: (key: string) => Promise<Caller | undefined>;
  /** Returns the seconds that a caller has to wait; undefined if the request is allowed. */
  readonly rateLimit: ((caller: string) => number | undefined) | undefined;
  /** Limit for requests that use the database concurrently; others are rejected with a 503. */
  readonly maxConcurrentRequests: number;
  /** Whether the address of a client is in the headers of a proxy. */
  readonly trustsProxy: boolean;
  /** Undefined if no faults are injected. */
  readonly faults: FaultInjector | undefined;
  readonly served: (served: RequestLogEntry) => void;
  /** Reports a bug, whose details are hidden from the client. */
  readonly defect: (error: unknown) => void;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
}
