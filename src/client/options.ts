import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { WatchedRequest } from "../contract/request.ts";
import type { PageQuery, Reply, ShownRecord } from "../contract/service.ts";
import type { attempt } from "./http/attempt.ts";
import type { Route } from "./http/route.ts";

export interface RemoteOptions {
  /** Sends a request once (default: over HTTP). */
  readonly attempt?: typeof attempt;
  readonly base: URL;
  readonly key: string;
  /** What is known of the service where its specification is silent. */
  readonly behaviour: PartialBehaviour;
  /** Timeout of one attempt, in milliseconds. */
  readonly timeout: number;
  /** Maximum number of attempts after the first. */
  readonly retries: number;
  readonly route: Route;
  /** Aborts requests in flight. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic time in milliseconds. */
  readonly elapsed: () => number;
  /** Random number from 0 to 1. */
  readonly random: () => number;
  /** Resolves after `milliseconds`; rejects when the signal aborts it. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Removes secrets from a text. */
  readonly hide: (text: string) => string;
  /** Prints a line of `--debug`. */
  readonly log: (line: string) => Promise<void>;
  /** Passes every record of a list to `take`; returns the refusal if the service refuses. */
  readonly eachRecord: (
    list: (query: PageQuery) => Promise<Reply>,
    take: (record: ShownRecord) => void,
  ) => Promise<Reply | undefined>;
  /** Called as each request begins; undefined if progress is not shown. */
  readonly watch: (() => WatchedRequest) | undefined;
  /** Words of a command line that select the same target, quoted for a shell (default: none). */
  readonly targetOptions?: readonly string[];
  /** The source of the key and how to replace it, for a key that the service rejects. */
  readonly keyHint?: string | undefined;
  /** Prints a note about a request that succeeded. */
  readonly note: (line: string) => Promise<void>;
}
