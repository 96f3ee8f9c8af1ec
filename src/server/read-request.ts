import type { IncomingMessage } from "node:http";
import type { HeldBytes } from "./held-bytes.ts";

/** Ruling 3: bodies beyond it, in bytes, are refused. */
export const maxBodyBytes = 64 * 1024;

const nothing = new Uint8Array();

/**
 * The first header of that name, in lower case. Node would make an object of all of them, of which most
 * are context by nobody.
 */
export function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length === name.length && given.toLowerCase() === name) return rawHeaders[index + 1];
  }
  return undefined;
}

/**
 * Returns why a request is ambiguous although Node accepts it, so that a proxy could understand it differently:
 * RFC 9112, parts 3.2 and 6.1.
 */
export function framingProblem(request: IncomingMessage): string | undefined {
  const { httpVersion, rawHeaders } = request;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length === 4 && given.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return "There is more than one Host header";
  if (httpVersion === "1.1") return hosts === 0 ? "The Host header is missing" : undefined;
  const isChunked = headerOf(request, "transfer-encoding") !== undefined;
  return isChunked ? "HTTP/1.0 does not have Transfer-Encoding" : undefined;
}

/** The key of `Authorization: Bearer …`: specification, part 5. */
export function bearerKey(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
}

/** The form of the keys that `local key create` makes. */
const keyForm = /sk_[\w-]{43}/g;

/** A path or a query for the log, with anything that may be a key taken out, however it is encoded. */
export function withoutKeys(text: string, key: string | undefined): string {
  const isPlain = !text.includes("%") && !text.includes("sk_");
  if (isPlain && (key === undefined || !text.includes(key))) return text;
  // A key is ASCII; whatever else is encoded, or is encoded wrongly, is none of it.
  const plain = text.includes("%") ? text.replace(/%([2-7][0-9a-f])/gi, decoded) : text;
  const shown = (key === undefined ? plain : plain.replaceAll(key, "…")).replace(keyForm, "…");
  return shown === plain ? text : shown;
}

function decoded(_: string, hexadecimal: string): string {
  return String.fromCharCode(Number.parseInt(hexadecimal, 16));
}

/** Returns the whole body; what follows one that is too long, or one too many, is not read. */
export async function readBody(
  request: IncomingMessage,
  held: HeldBytes,
): Promise<Uint8Array | "too long" | "too much at once" | "gone"> {
  const length = headerOf(request, "content-length");
  const encoding = headerOf(request, "transfer-encoding");
  if (Number(length ?? 0) > maxBodyBytes) return "too long";
  if (encoding === undefined && Number(length ?? 0) === 0) return nothing;
  if (request.destroyed && !request.complete) return "gone";
  let size = 0;
  let kept = 0;
  const read = new Promise<Uint8Array | "too long" | "too much at once" | "gone">((resolve) => {
    const chunks: Buffer[] = [];
    const stop = (why: "too long" | "too much at once"): void => {
      request.pause();
      resolve(why);
    };
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) return stop("too long");
      if (!held.take(chunk.length)) return stop("too much at once");
      kept += chunk.length;
      chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    // The sender went away, or sends what cannot be read any more.
    request.once("error", () => resolve("gone"));
    request.once("close", () => resolve("gone"));
  });
  const body = await read;
  held.release(kept);
  return body;
}
