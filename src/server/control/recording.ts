import type { IncomingHttpHeaders } from "node:http";
import type { OperationName } from "../../contract/operations.ts";
import { bodyWithoutKey, requestSecrets, type Keys } from "../http.ts";

/** A request to the service, as it was on the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The text after `?`; may be empty. */
  readonly query: string;
  readonly body: Uint8Array | undefined;
  /** Keys that are in no record. */
  readonly keys: Keys;
  /** Name of the integration that the key selects; undefined if it selects none. */
  readonly integration: string | undefined;
  readonly operation: OperationName | undefined;
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** The response to a request. */
export interface Answer {
  /** Null if no response was sent. */
  readonly status: number | null;
  /** The body of the response; undefined if no response was sent. */
  readonly response: string | undefined;
  /** The injected fault that applied, if one did. */
  readonly fault: string | undefined;
  /** Milliseconds from the request to its response. */
  readonly milliseconds: number;
}

/** A request in the order in which they arrived, with the response once there is one. */
interface Recorded extends ReceivedRequest {
  readonly id: number;
  answer: Answer | undefined;
  isForgotten: boolean;
}

/** A request as a test suite sees it. */
export type RecordedRequest = ReturnType<typeof recordedRequest>;

/** The newest requests of a server. */
export type Recording = ReturnType<typeof createRecording>;

/** Number of requests that are kept. */
export const maxRequests = 10_000;

/** Maximum length of what the requests hold together, in bytes and characters. */
const maxLength = 8 * 1024 * 1024;

/** Records the newest 10,000 requests or 8 MiB. Bodies are parsed when they are asked for. */
export function createRecording() {
  let recorded: Recorded[] = [];
  let length = 0;
  let last = 0;
  const followers = new Set<(request: RecordedRequest) => void>();
  const waiting = new Set<() => void>();
  const grow = (added: number): void => {
    length += added;
    while (recorded.length > maxRequests || length > maxLength) {
      const oldest = recorded.shift()!;
      oldest.isForgotten = true;
      length -= lengthOf(oldest);
    }
  };

  return {
    /** Records a request. @returns what records its response, unless the request is cleared by then */
    begin: (request: ReceivedRequest): ((answer: Answer) => void) => {
      const entry: Recorded = {
        ...request,
        id: (last += 1),
        answer: undefined,
        isForgotten: false,
      };
      recorded.push(entry);
      grow(lengthOf(entry));
      for (const check of waiting) check();
      return (answer) => {
        if (entry.isForgotten) return;
        entry.answer = answer;
        grow(answer.response?.length ?? 0);
        for (const follow of followers) follow(recordedRequest(entry));
      };
    },
    /** Forgets the requests, or those of one integration. */
    clear: (integration?: string): void => {
      for (const entry of entriesOf(integration)) entry.isForgotten = true;
      recorded = recorded.filter(({ isForgotten }) => !isForgotten);
      length = recorded.reduce((sum, entry) => sum + lengthOf(entry), 0);
    },
    /** Returns the requests, or those of one integration, oldest first. */
    requests: (integration?: string) => entriesOf(integration).map(recordedRequest),
    /** Calls a function after each further request has arrived. Returns a function that ends that. */
    onArrival: (check: () => void): (() => void) => {
      waiting.add(check);
      return () => void waiting.delete(check);
    },
    /** Calls the follower with each further request that is answered. Returns a function that ends that. */
    follow: (follower: (request: RecordedRequest) => void): (() => void) => {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
  };

  function entriesOf(integration: string | undefined): readonly Recorded[] {
    if (integration === undefined) return recorded;
    return recorded.filter((entry) => entry.integration === integration);
  }
}

function lengthOf({ path, query, body, answer }: Recorded): number {
  return path.length + query.length + (body?.length ?? 0) + (answer?.response?.length ?? 0);
}

/** Returns a request as a test suite sees it. A body that is not JSON is text; an empty one is null. */
function recordedRequest({ keys, answer, ...request }: Recorded) {
  const { method, path, query, body, operation = null, integration = null, time } = request;
  const pairs = [...new URLSearchParams(query)];
  const { hide, hideValue } = requestSecrets(keys, path, query);
  return {
    method,
    path: hide(path),
    query: hideValue(Object.fromEntries(pairs)),
    body: bodyWithoutKey(Buffer.from(body ?? "").toString("utf8"), keys),
    /** Null until there is a response, and if an injected fault dropped the connection before it. */
    status: answer?.status ?? null,
    response: bodyWithoutKey(answer?.response ?? "", keys),
    /** Such as `group.create`; null if the request matched none. */
    operation,
    /** Name of the integration of the key; null for an unknown key. */
    integration,
    /** ISO 8601, UTC. */
    time: new Date(time).toISOString(),
    /** Null until there is a response. */
    ms: answer === undefined ? null : Math.round(answer.milliseconds),
    request_id: request.requestId,
    fault: answer?.fault ?? null,
    headers: hideValue(shownHeaders(request.headers)),
    /** Increases with each request. */
    id: request.id,
  };
}

/** Returns headers without the one that has the key. */
function shownHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const others = Object.entries(headers).filter(([name]) => name !== "authorization");
  return Object.fromEntries(others.map(([name, value]) => [name, String(value)]));
}
