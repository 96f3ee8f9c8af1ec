/** Bytes that may wait for a reader: what is written beyond them is dropped. */
const longestBacklog = 1024 * 1024;

/** In milliseconds: how long the end waits for a reader that has fallen behind. */
const lastWait = 1000;

export interface LossyStream {
  readonly write: (text: string, done: () => void) => boolean;
  /** Fulfilled when everything has been read, or when the rest is given up. */
  readonly end: () => Promise<void>;
  readonly isUnread: () => boolean;
}

/**
 * Writes to a stream without ever waiting for its reader. A server must not stop because nobody reads its log.
 *
 * @param stream Node's own, which does not block where it is a pipe or a socket
 */
export function lossyStream(stream: NodeJS.WriteStream): LossyStream {
  let dropped = 0;
  // Without a listener, the event would end the process.
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
      if (stream.writableLength === 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, lastWait);
        stream.write(dropped > 0 ? droppedLine(dropped) : "", () => resolve());
      });
      clearTimeout(timer);
    },
    isUnread: () => stream.writableLength > 0,
  };
}

function droppedLine(count: number): string {
  return `sendctl: warning: ${count} writes to standard error were dropped, because nobody read it\n`;
}
