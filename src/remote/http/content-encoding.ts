import type { IncomingMessage } from "node:http";

/**
 * Decodes the content coding of a response body. A request without Accept-Encoding accepts every coding:
 * RFC 9110, part 12.5.3. A body with an unknown coding is left as it is.
 *
 * @returns the decoded bytes; reading them fails if the response or its encoding is corrupt. Undefined if there is
 *   nothing to decode.
 */
export async function decodedBody(
  response: IncomingMessage,
): Promise<AsyncIterable<Buffer> | undefined> {
  const coding = response.headers["content-encoding"]?.trim().toLowerCase();
  if (coding === undefined || !["gzip", "x-gzip", "deflate", "br"].includes(coding)) {
    return undefined;
  }
  const { createBrotliDecompress, createUnzip } = await import("node:zlib");
  const unpacked = coding === "br" ? createBrotliDecompress() : createUnzip();
  response.once("error", (error) => unpacked.destroy(error));
  return whole(response.pipe(unpacked), coding);
}

/** Gives decoding errors a code of malformed HTTP, so that they are not retried. */
async function* whole(body: AsyncIterable<Buffer>, coding: string): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ECONNRESET") throw error;
    throw Object.assign(new Error(`the ${coding} body is corrupt: ${message}`), {
      code: "HPE_BODY",
    });
  }
}
