import type { IncomingMessage } from "node:http";
import type { BufferedBytes } from "./limits.ts";

/** Longer bodies are refused: ruling 3. */
export const maxBodyBytes = 64 * 1024;

const nothing = new Uint8Array();

/**
 * Returns the first header with a name. Faster than `request.headers`, which builds an object of all headers.
 *
 * @param name in lower case
 */
export function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length === name.length && given.toLowerCase() === name) return rawHeaders[index + 1];
  }
  return undefined;
}

const none: readonly string[] = [];

/** Returns all headers with a name, in order. @param name in lower case */
export function headersOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  let values: string[] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    values ??= [];
    values.push(rawHeaders[index + 1]!);
  }
  return values ?? none;
}

/**
 * Returns why a request is ambiguous, so that a proxy could interpret it differently, although Node accepts it:
 * RFC 9112, parts 3.2 and 6.1.
 */
export function framingProblem(request: IncomingMessage): string | undefined {
  const { httpVersion } = request;
  const hosts = headersOf(request, "host").length;
  if (hosts > 1) return "Multiple Host headers";
  if (headersOf(request, "authorization").length > 1) return "Multiple Authorization headers";
  if (httpVersion === "1.1") return hosts === 0 ? "Missing Host header" : undefined;
  const isChunked = headerOf(request, "transfer-encoding") !== undefined;
  return isChunked ? "Transfer-Encoding is not allowed in HTTP/1.0" : undefined;
}

/** Returns the key in `Authorization: Bearer …`: specification, part 5. */
export function bearerKey(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
}

/** Why a body was not read. For "gone", the client has disconnected, or the rest of its body is malformed. */
type Unread = "too long" | "too much at once" | "gone";

/** Reads the body. Stops reading if it exceeds its own limit or that of all connections. */
export async function readBody(
  request: IncomingMessage,
  buffered: BufferedBytes,
): Promise<Uint8Array | Unread> {
  const length = headerOf(request, "content-length");
  const encoding = headerOf(request, "transfer-encoding");
  if (Number(length ?? 0) > maxBodyBytes) return "too long";
  if (encoding === undefined && Number(length ?? 0) === 0) return nothing;
  if (request.destroyed && !request.complete) return "gone";
  let size = 0;
  let taken = 0;
  const read = new Promise<Uint8Array | Unread>((resolve) => {
    const chunks: Buffer[] = [];
    const stop = (why: Unread): void => {
      request.pause();
      resolve(why);
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) return stop("too long");
      if (!buffered.take(chunk.length)) return stop("too much at once");
      taken += chunk.length;
      chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", () => resolve("gone"));
    request.once("close", () => resolve("gone"));
  });
  const body = await read;
  buffered.release(taken);
  return body;
}
