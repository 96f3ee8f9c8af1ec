import type { IncomingMessage } from "node:http";

/**
 * Returns the body of a response without its content coding. A request that names no coding accepts them all:
 * RFC 9110, part 12.5.3. A coding that is unknown leaves the body as it is.
 *
 * @returns its bytes; reading them fails where the response or its coding is broken
 */
export async function plainBody(response: IncomingMessage): Promise<AsyncIterable<Buffer>> {
  const coding = response.headers["content-encoding"]?.trim().toLowerCase();
  if (coding === undefined || !["gzip", "x-gzip", "deflate", "br"].includes(coding)) {
    return response;
  }
  const { createBrotliDecompress, createUnzip } = await import("node:zlib");
  const unpacked = coding === "br" ? createBrotliDecompress() : createUnzip();
  response.once("error", (error) => unpacked.destroy(error));
  return whole(response.pipe(unpacked), coding);
}

/** Its errors are those of a response in no form of HTTP: another attempt would only meet them again. */
async function* whole(body: AsyncIterable<Buffer>, coding: string): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ECONNRESET") throw error;
    throw Object.assign(new Error(`its ${coding} body is broken: ${message}`), {
      code: "HPE_BODY",
    });
  }
}
