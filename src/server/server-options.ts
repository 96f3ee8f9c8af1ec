import type { OperationName } from "../contract/operations.ts";
import type { Service } from "../contract/service.ts";
import type { PublicEndpoints } from "./dispatch.ts";
import type { FaultInjector } from "./inject-faults.ts";

/** Whoever a key belongs to. */
interface Caller {
  /** Of the key, not the key. */
  readonly id: string;
  readonly service: Service;
}

/** One request that was answered, or was left without an answer on purpose. */
export interface RequestLogEntry {
  readonly method: string;
  /** Without its query, and without any key in it. */
  readonly path: string;
  /** What follows the `?`, without any key in it; empty where there is nothing. */
  readonly query: string;
  /** Null where no answer left. */
  readonly status: number | null;
  /** From the first byte of the request to the last of the answer. */
  readonly milliseconds: number;
  /** Undefined where the request led to none. */
  readonly operation: OperationName | undefined;
  /** Id of the key; undefined where none was known. */
  readonly caller: string | undefined;
  /** What went wrong with it on purpose. */
  readonly fault: string | undefined;
  /** Why the database could not be used, for whoever runs the server; the client learns nothing of it. */
  readonly problem: string | undefined;
}

export interface ServerOptions extends PublicEndpoints {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Undefined for a key that nobody has: specification, part 5. RequestContext for every request. */
  readonly callerOf: (key: string) => Promise<Caller | undefined>;
  /** In how many seconds a caller may come again; undefined for now. */
  readonly rateLimit: ((caller: string) => number | undefined) | undefined;
  /** Requests that use the database at the same time; those beyond are rejected with a 503. */
  readonly maxConcurrentRequests: number;
  /** What goes wrong on purpose; undefined for nothing. */
  readonly faults: FaultInjector | undefined;
  readonly served: (served: RequestLogEntry) => void;
  /** A defect: the client learns nothing of it. */
  readonly defect: (error: unknown) => void;
  /** Milliseconds since some moment, never set back. */
  readonly elapsed: () => number;
}
