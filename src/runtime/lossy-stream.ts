import type { OutputStream } from "./descriptor-stream.ts";

/** Bytes that may wait for a reader: what is written beyond them is dropped. */
const longestBacklog = 1024 * 1024;

/** In milliseconds: how long the end waits for a reader that has fallen behind. */
const lastWait = 1000;

export interface LossyStream extends Pick<OutputStream, "write"> {
  /** Fulfilled when everything has been read, or the rest is given up. */
  readonly end: () => Promise<void>;
}

/**
 * Writes to a stream without ever waiting for its reader. A server must not stop because nobody reads its log.
 *
 * @param stream one that does not block, as Node's own on a pipe
 */
export function lossyStream(stream: NodeJS.WriteStream): LossyStream {
  let dropped = 0;
  stream.on("error", () => {});
  return {
    write: (text, done) => {
      if (stream.writableLength > longestBacklog) dropped += 1;
      else {
        if (dropped > 0) stream.write(droppedLine(dropped));
        dropped = 0;
        stream.write(text);
      }
      done();
      return true;
    },
    end: async () => {
      if (stream.writableLength === 0 || stream.destroyed) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, lastWait);
        stream.write(dropped > 0 ? droppedLine(dropped) : "", () => resolve());
      });
      clearTimeout(timer);
      // What is still unread would keep the process from ending.
      if (stream.writableLength > 0) stream.destroy();
    },
  };
}

function droppedLine(count: number): string {
  return `sendctl: warning: ${count} writes to standard error were dropped, because nobody read it\n`;
}
