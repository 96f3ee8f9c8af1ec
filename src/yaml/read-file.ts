import { open } from "node:fs/promises";
import { unreadableFile } from "../contract/unreadable-file.ts";

/** Bytes of one read. */
const step = 1024 * 1024;

/**
 * Returns the bytes of a file, and not many more than a limit: a device or a pipe may never end.
 *
 * @param name as the user wrote it
 * @param limit in bytes
 * @throws SendctlError "usage" for a file that cannot be read
 */
export async function readFileUpTo(name: string, path: string, limit: number): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const chunks: Buffer[] = [];
      let length = 0;
      // A read from a pipe can be short; only an empty one is the end.
      while (length <= limit) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(step));
        if (bytesRead === 0) break;
        chunks.push(buffer.subarray(0, bytesRead));
        length += bytesRead;
      }
      return Buffer.concat(chunks);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadableFile(name, error);
  }
}
