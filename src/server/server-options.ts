import type { Service } from "../contract/service.ts";
import type { RequestLogEntry } from "../contract/served-request.ts";
import type { PublicEndpoints } from "./public/endpoints.ts";
import type { FaultInjector } from "./inject-faults.ts";

/** The owner of a key. */
interface Caller {
  /** Id of the key, which is not secret. */
  readonly id: string;
  readonly service: Service;
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
