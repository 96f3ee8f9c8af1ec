import type { IncomingHttpHeaders } from "node:http";
import type { OperationName } from "../../contract/operations.ts";
import { bodyWithoutKey, requestSecrets, type Keys, type RequestHead } from "../http.ts";

/** A request to the service, as it was on the wire. */
export interface ReceivedRequest {
  readonly head: Pick<RequestHead, "method" | "pathname" | "query">;
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

/** A request with its response, once there is one. Requests are in order of arrival. */
interface Recorded extends ReceivedRequest {
  readonly id: number;
  answer: Answer | undefined;
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
  const recorded = new Set<Recorded>();
  const followers = new Set<(request: RecordedRequest) => void>();
  let length = 0;
  let last = 0;
  const forget = (entry: Recorded): void => {
    if (recorded.delete(entry)) length -= lengthOf(entry);
  };
  /** Adds the length of a request or a response, and reports it. */
  const grow = (entry: Recorded, added: number): void => {
    length += added;
    for (const oldest of recorded) {
      if (recorded.size <= maxRequests && length <= maxLength) break;
      forget(oldest);
    }
    for (const follow of followers) follow(recordedRequest(entry));
  };
  const entriesOf = (integration: string | undefined): readonly Recorded[] => {
    const entries = [...recorded];
    if (integration === undefined) return entries;
    return entries.filter((entry) => entry.integration === integration);
  };
  return {
    /** Records a request. @returns what records its response, unless it is cleared by then */
    begin: (request: ReceivedRequest): ((answer: Answer) => void) => {
      const entry: Recorded = { ...request, id: (last += 1), answer: undefined };
      recorded.add(entry);
      grow(entry, lengthOf(entry));
      return (answer) => {
        if (!recorded.has(entry)) return;
        entry.answer = answer;
        grow(entry, answer.response?.length ?? 0);
      };
    },
    /** Forgets the requests, or those of one integration. */
    clear: (integration?: string): void => {
      for (const entry of entriesOf(integration)) forget(entry);
    },
    /** Returns the requests, or those of one integration, oldest first. */
    requests: (integration?: string) => entriesOf(integration).map(recordedRequest),
    /** Calls the follower on each request and on its response. Returns a function that stops it. */
    follow: (follower: (request: RecordedRequest) => void): (() => void) => {
      followers.add(follower);
      return () => void followers.delete(follower);
    },
  };
}

function lengthOf({ head, body, answer }: Recorded): number {
  const { pathname, query } = head;
  return pathname.length + query.length + (body?.length ?? 0) + (answer?.response?.length ?? 0);
}

/** Returns a request for a test suite. A body that is not JSON is text; an empty one is null. */
function recordedRequest({ keys, answer, ...request }: Recorded) {
  const { method, pathname: path, query } = request.head;
  const { body, operation = null, integration = null, time } = request;
  const pairs = [...new URLSearchParams(query)];
  const { hide, hideValue } = requestSecrets(keys, path, query);
  const text = Buffer.from(body ?? "").toString("utf8");
  const response = answer?.response ?? "";
  const shown = (sent: string): string => requestSecrets(keys, sent).hideReply(sent);
  // Without the one that has the key.
  const { authorization: _, ...others } = request.headers;
  const headers = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, String(value)]),
  );
  return {
    method,
    path: hide(path),
    query: hideValue(Object.fromEntries(pairs)),
    /** The path and the query as they were sent. */
    target: hide(query === "" ? path : `${path}?${query}`),
    body: bodyWithoutKey(text, keys),
    /** The body as it was sent: parsing loses long numbers and repeated fields. */
    body_text: shown(text),
    /** Null until there is a response, and if an injected fault dropped the connection. */
    status: answer?.status ?? null,
    response: bodyWithoutKey(response, keys),
    response_text: shown(response),
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
    headers: hideValue(headers),
    /** Increases with each request. */
    id: request.id,
  };
}
