import { SendctlError } from "../contract/error.ts";
import type { OutputStream } from "../runtime/descriptor-stream.ts";

/** Writes text; fulfilled when it has left the process, or when nobody reads any more. */
export type Write = (text: string) => Promise<void>;

export interface Writer {
  readonly write: Write;
  /** True once nobody reads any more. */
  readonly isGone: () => boolean;
}

/**
 * A writer on a stream. A reader that is gone (EPIPE) is no failure: the rest is dropped. A stream that
 * can't be written for another reason, a full disk say, is.
 *
 * @param hide takes out what must never be shown
 * @param isData false where it is narration, which may be lost without a failure
 */
export function createWriter(
  stream: () => OutputStream,
  name: string,
  hide: (text: string) => string,
  isData: boolean,
): Writer {
  let opened: OutputStream | undefined;
  let gone = false;
  const write: Write = (text) => {
    if (gone || text === "") return Promise.resolve();
    if (opened === undefined) {
      opened = stream();
      // What goes wrong is told to the callback of the write; unheard, the event would end the process.
      opened.on("error", () => {});
    }
    const target = opened;
    return new Promise((resolve, reject) => {
      target.write(hide(text), (error) => {
        if (!error) return resolve();
        gone = true;
        if (isClosedPipe(error) || !isData) return resolve();
        reject(
          new SendctlError("output", `Can't write to ${name}: ${error.message}`, { cause: error }),
        );
      });
    });
  };
  return { write, isGone: () => gone };
}

function isClosedPipe(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET";
}
