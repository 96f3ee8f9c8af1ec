import type { IncomingMessage } from "node:http";
import { bearerKey, headerOf, headersOf } from "../read-request.ts";
import { mayContainKey } from "./key-text.ts";

/** The header of a request and its response that names the request in the log. */
export const requestIdHeader = "X-Request-Id";

/** Names requests, so that a response can be found in the log. */
export interface RequestIds {
  /** Returns the id that the client sent if it is safe to print, else a new one. @param key that of the request */
  readonly of: (request: IncomingMessage, key?: string) => string;
  readonly create: () => string;
}

/** Ids that are accepted: they need no escaping in a header or in JSON. */
const idForm = /^[A-Za-z0-9._~:+/=-]{1,128}$/;

/** The beginning of a key, which no id needs. */
const keyStart = /sk_/i;

/** Creates ids from a random text for this server and a counter, because random bytes for each would cost more. */
export function createRequestIds(): RequestIds {
  const server = Math.floor(Math.random() * 2 ** 48).toString(36);
  let count = 0;
  const create = (): string => `${server}-${(count += 1)}`;
  return { create, of: (request, key) => sentId(request, key) ?? create() };
}

/** Returns the id that a client sent. Two ids, an unsafe one, and one that may contain a key are ignored. */
function sentId(
  request: IncomingMessage,
  key = bearerKey(headerOf(request, "authorization")),
): string | undefined {
  const [id, ...others] = headersOf(request, "x-request-id");
  if (id === undefined || others.length > 0 || !idForm.test(id)) return undefined;
  return keyStart.test(id) || mayContainKey(id, key) ? undefined : id;
}
