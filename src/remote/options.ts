import type { WatchedRequest } from "../contract/request.ts";
import type { PageQuery, Reply, ShownRecord } from "../contract/service.ts";
import type { Route } from "./http/proxy.ts";

export interface RemoteOptions {
  readonly base: URL;
  readonly key: string;
  /** Of one attempt, in milliseconds. */
  readonly timeout: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly route: Route;
  /** Stops whatever is under way. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, never set back. */
  readonly elapsed: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Fulfilled after so many milliseconds, rejected when the signal stops it. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Takes out of a text what must never be shown. */
  readonly hide: (text: string) => string;
  /** What is done, line by line, for `--debug`. */
  readonly log: (line: string) => Promise<void>;
  /** Gives every record of a list to `take`; returns a refusal where there is one. */
  readonly eachRecord: (
    list: (query: PageQuery) => Promise<Reply>,
    take: (record: ShownRecord) => void,
  ) => Promise<Reply | undefined>;
  /** CallResult as each request begins; undefined where nobody watches. */
  readonly watch: (() => WatchedRequest) | undefined;
  /** What a person should know although it went well. */
  readonly note: (line: string) => Promise<void>;
}
