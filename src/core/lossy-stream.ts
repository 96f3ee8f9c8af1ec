/** Unread bytes to buffer; further writes are dropped. */
const maxBacklogBytes = 1024 * 1024;

/** Milliseconds that `end` waits for a slow reader. */
const drainTimeout = 1000;

export interface LossyStream {
  readonly write: (text: string, done: () => void) => boolean;
  /** Resolves when everything has been read, or when the wait for a slow reader times out. */
  readonly end: () => Promise<void>;
}

/**
 * Writes to a stream without waiting for its reader: a server must not stall because its log is not read.
 *
 * @param stream a stream of Node, which does not block on pipes and sockets
 */
export function lossyStream(stream: NodeJS.WriteStream): LossyStream {
  let dropped = 0;
  // Without a listener, an error event would end the process.
  stream.on("error", () => {});
  return {
    write: (text, done) => {
      if (stream.writableLength > maxBacklogBytes) dropped += 1;
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
        timer = setTimeout(resolve, drainTimeout);
        stream.write(dropped > 0 ? droppedLine(dropped) : "", () => resolve());
      });
      clearTimeout(timer);
    },
  };
}

function droppedLine(count: number): string {
  return `sendctl: warning: ${count} writes to standard error were dropped because it was not read\n`;
}
