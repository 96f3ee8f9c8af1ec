import type { IncomingMessage } from "node:http";

/** Ruling 3: bodies beyond it, in bytes, are refused. */
const longestBody = 64 * 1024;

const nothing = new Uint8Array();

/** The key of `Authorization: Bearer …`: specification, part 5. */
export function bearerKey(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
}

/**
 * The whole body; what follows one that is too long is not read.
 *
 * @throws the socket's error when the sender goes away
 */
export async function readBody(request: IncomingMessage): Promise<Uint8Array | "too long"> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (Number(length ?? 0) > longestBody) return "too long";
  if (encoding === undefined && Number(length ?? 0) === 0) return nothing;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > longestBody) {
        request.pause();
        resolve("too long");
      } else chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new Error("The sender went away")));
  });
}
