import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import { createSecrets, type Secrets } from "../core/secrets.ts";

/** What the server reads from the start line and the headers of a request. */
export interface RequestHead {
  readonly method: string;
  /** The path, percent-encoded. */
  readonly pathname: string;
  /** The text after `?`; may be empty. */
  readonly query: string;
  readonly contentType: string | undefined;
  /** How the body is encoded, if that is more than its division into chunks: not decoded here. */
  readonly encoding?: string | undefined;
  /** The key in `Authorization: Bearer …`: specification, part 5. */
  readonly key: string | undefined;
  /** The id that the client sent for its request, if it is safe to print. */
  readonly sentId: string | undefined;
  /** Why the request is ambiguous. */
  readonly problem: string | undefined;
}

/** Reads the head of a request. */
export function readHead(request: IncomingMessage): RequestHead {
  const { method = "", url = "" } = request;
  const [pathname, query] = splitTarget(url);
  const key = /^bearer +(\S+) *$/i.exec(headersOf(request, "authorization")[0] ?? "")?.[1];
  return {
    method,
    pathname,
    query,
    contentType: headersOf(request, "content-type")[0],
    encoding: encodingOf(request),
    key,
    sentId: idIn(request, key),
    problem: framingProblem(request),
  };
}

/** Splits the target of a request into its path and its query. Clients of a proxy send a whole URL: RFC 9112, 3.2.2. */
export function splitTarget(target: string): [pathname: string, query: string] {
  const origin = target.startsWith("/") ? "" : (/^https?:\/\/[^/?]*/i.exec(target)?.[0] ?? "");
  const mark = target.indexOf("?");
  const pathname = target.slice(origin.length, mark < 0 ? undefined : mark);
  return [pathname === "" ? "/" : pathname, mark < 0 ? "" : target.slice(mark + 1)];
}

/**
 * Returns all headers with a name, in order. Faster than `request.headers`, which builds an object of all headers.
 *
 * @param name in lower case
 */
export function headersOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    values.push(rawHeaders[index + 1]!);
  }
  return values;
}

/**
 * Returns why a request is ambiguous, so that a proxy could interpret it differently, although Node accepts it:
 * RFC 9112, parts 3.2 and 6.1.
 */
function framingProblem(request: IncomingMessage): string | undefined {
  const { httpVersion } = request;
  const hosts = headersOf(request, "host").length;
  if (hosts > 1) return "Multiple Host headers";
  if (headersOf(request, "authorization").length > 1) return "Multiple Authorization headers";
  if (httpVersion === "1.1") return hosts === 0 ? "Missing Host header" : undefined;
  const isChunked = headersOf(request, "transfer-encoding")[0] !== undefined;
  return isChunked ? "Transfer-Encoding is not allowed in HTTP/1.0" : undefined;
}

/** Returns the encodings of a body that would have to be decoded; undefined for none. */
function encodingOf(request: IncomingMessage): string | undefined {
  const given = ["content-encoding", "transfer-encoding"].flatMap((name) =>
    headersOf(request, name).flatMap((value) => value.split(",")),
  );
  const names = given.map((name) => name.trim().toLowerCase());
  return names.find((name) => !["", "identity", "chunked"].includes(name));
}

/** Longer bodies are refused: ruling 3. */
export const maxBodyBytes = 64 * 1024;

/** Returns the length of a body that its header has, in bytes; 0 without one. */
function lengthOf(request: IncomingMessage): number {
  return Number(headersOf(request, "content-length")[0] ?? 0);
}

/** Returns whether the headers of a request show that its body is too long. */
export function isTooLong(request: IncomingMessage): boolean {
  return lengthOf(request) > maxBodyBytes;
}

const nothing = new Uint8Array();

/** Why a body was not read. The client has disconnected, or the rest of the body is malformed or late. */
type Unread = "too long" | "disconnected";

/** A connection, as far as bodies are concerned. */
export interface BodySource {
  /** Whether the input was malformed or cut short, so that no more of it follows. */
  readonly isBroken: boolean;
  /** Ends the reading of a body that will never be complete. */
  abandonBody: (() => unknown) | undefined;
}

/** Reads the body. Stops reading if it exceeds its limit, or when the connection abandons it. */
export async function readBody(
  request: IncomingMessage,
  source: BodySource,
): Promise<Uint8Array | Unread> {
  if ((source.isBroken || request.destroyed) && !request.complete) return "disconnected";
  const length = lengthOf(request);
  if (length > maxBodyBytes) return "too long";
  if (length === 0 && headersOf(request, "transfer-encoding")[0] === undefined) return nothing;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBodyBytes) return;
      request.off("data", take).pause();
      resolve("too long");
    };
    request.on("data", take);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    const disconnected = (): void => resolve("disconnected");
    request.once("error", disconnected);
    request.once("close", disconnected);
    source.abandonBody = () => request.complete || disconnected();
  });
}

/** The header of a request and its response that names the request in the log. */
export const requestIdHeader = "X-Request-Id";

/** Ids that are accepted: they need no escaping in a header or in JSON. */
const idForm = /^[A-Za-z0-9._~:+/=-]{1,128}$/;

/** The beginning of a key, which no id needs. */
const keyStart = /sk_/i;

/** Returns the id that a client sent. Two ids, an unsafe one, and one that may contain a key are ignored. */
function idIn(request: IncomingMessage, key: string | undefined): string | undefined {
  const [id, ...others] = headersOf(request, "x-request-id");
  if (id === undefined || others.length > 0 || !idForm.test(id)) return undefined;
  return keyStart.test(id) || createSecrets([key]).isIn(id) ? undefined : id;
}

/** Creates ids from a random text for this server and a counter, because random bytes for each would cost more. */
export function createIds(): () => string {
  const server = Math.floor(Math.random() * 2 ** 48).toString(36);
  let count = 0;
  return () => `${server}-${(count += 1)}`;
}

/** The format of keys created by `local key create`. */
const keyForm = /sk_[\w-]{43}/g;

/** The key of a request and the one that the service was given, if any. */
export type Keys = readonly (string | undefined)[];

/** Creates what hides the keys of a request, and those of the usual form in these texts. */
export function requestSecrets(keys: Keys, ...texts: readonly string[]): Secrets {
  return createSecrets([...keys, ...texts.flatMap((text) => text.match(keyForm) ?? [])]);
}

/** Parses a body: JSON, other text, or null for an empty one. Keys in it are hidden. */
export function bodyWithoutKey(text: string, keys: Keys): unknown {
  if (text === "") return null;
  const { hide, hideValue } = requestSecrets(keys, text);
  try {
    return hideValue(JSON.parse(text) as unknown);
  } catch {
    return hide(text);
  }
}

/** The parameters whose values are logged. */
const loggedParameters: ReadonlySet<string> = new Set(["page", "perPage"]);

/** Returns a path and its query as they are logged: the values of other parameters may be anything. */
export function loggedPath(pathname: string, query: string, keys: Keys): string {
  const shown = query.split("&").map((pair) => {
    const [name = "", value] = pair.split("=", 2);
    if (value === undefined) return pair === "" ? "" : "…";
    return loggedParameters.has(name) ? pair : `${name}=…`;
  });
  const path = query === "" ? pathname : `${pathname}?${shown.join("&")}`;
  return requestSecrets(keys, path).hide(path);
}

/** Returns an IPv4 address as such; a socket for both versions shows it as `::ffff:192.0.2.1`. */
export function plainAddress(address: string | undefined): string | undefined {
  const mapped = address?.startsWith("::ffff:") === true ? address.slice(7) : "";
  return isIPv4(mapped) ? mapped : address;
}
