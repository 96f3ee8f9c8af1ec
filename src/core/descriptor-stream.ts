import { fstatSync, writeSync } from "node:fs";
import type { LossyStream } from "./lossy-stream.ts";

/** An output: a terminal, a pipe or a file. */
export interface OutputStream {
  readonly isTTY?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
  readonly write: (text: string, done: (error?: Error | null) => void) => boolean;
  readonly on: (event: "error", listener: () => void) => unknown;
  /** Makes later writes drop unread text instead of waiting for a reader. Call the result at the end. */
  readonly dropUnread?: () => Promise<LossyStream["end"]>;
}

/**
 * Creates a stream that writes directly to a file descriptor. For a pipe or a file this saves a seventh of the time
 * of a bare process. The stream of Node is used for a terminal, and once a non-blocking pipe is full.
 *
 * @param slow returns the stream of Node
 */
export function descriptorStream(descriptor: number, slow: () => NodeJS.WriteStream): OutputStream {
  if (mayBeTerminal(descriptor)) return slow();
  let fallback: Pick<OutputStream, "write"> | undefined;
  const write = (text: string, done: (error?: Error | null) => void): boolean => {
    if (fallback !== undefined) return fallback.write(text, done);
    const bytes = Buffer.from(text);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
        done(error as Error);
        return true;
      }
      const stream = slow();
      fallback = stream;
      // The callback of the write reports errors. Without a listener, the event would end the process.
      stream.on("error", () => {});
      return stream.write(bytes.subarray(written), done);
    }
    done();
    return true;
  };
  return {
    isTTY: false,
    write,
    on: () => {},
    dropUnread: async () => {
      const { lossyStream } = await import("./lossy-stream.ts");
      const lossy = lossyStream(slow());
      fallback = lossy;
      return lossy.end;
    },
  };
}

/** Major device number of /dev/null and similar devices on Linux, which are not terminals. */
const memoryDeviceMajor = 1;

/** Returns whether a descriptor may be a terminal: a character device. A closed one is not, and fails on write. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isCharacterDevice() && found.rdev >> 8 !== memoryDeviceMajor;
  } catch {
    return false;
  }
}
