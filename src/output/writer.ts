import { SendctlError } from "../contract/error.ts";
import type { OutputStream } from "../runtime/descriptor-stream.ts";
import { safeJson, safeOnScreen } from "./safe-text.ts";
import type { Secrets } from "./secrets/secrets.ts";

/** Writes text; fulfilled when it has left the process, or when nobody reads any more. */
export type Write = (text: string) => Promise<void>;

/** The one way out of the process: what is secret, or what a terminal would obey, does not pass. */
export interface Writer {
  readonly write: Write;
  /** Writes JSON, which is still JSON without what does not pass. */
  readonly writeJson: Write;
  /** Writes a line of progress, which replaces the one before it; "" removes it. */
  readonly rewriteLine: Write;
  /** Clears the terminal, for what is drawn again. */
  readonly clearScreen: () => Promise<void>;
  /** True once nobody reads any more. */
  readonly isGone: () => boolean;
}

/** What a stream is for. */
interface Purpose {
  readonly name: string;
  /** False where it is narration, which may be lost without a failure, and is for people in any case. */
  readonly isData: boolean;
}

/**
 * A writer on a stream. A reader that is gone (EPIPE) does not count as a failure: the rest is dropped. A stream that
 * can't be written for another reason, a full disk say, is.
 */
export function createWriter(
  stream: () => OutputStream,
  { name, isData }: Purpose,
  { hide, hideJson }: Pick<Secrets, "hide" | "hideJson">,
): Writer {
  let opened: OutputStream | undefined;
  let gone = false;
  const open = (): OutputStream => {
    if (opened !== undefined) return opened;
    opened = stream();
    // The callback of a write gets its error; without a listener, the event would end the process.
    opened.on("error", () => {});
    return opened;
  };
  /** Data that no terminal shows has to arrive as it is. */
  const isRead = (): boolean => !isData || open().isTTY === true;
  const send = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      open().write(text, (error) => {
        if (!error) return resolve();
        gone = true;
        if (isClosedPipe(error) || !isData) return resolve();
        reject(
          new SendctlError("output", `Can't write to ${name}: ${error.message}`, { cause: error }),
        );
      });
    });
  const writing =
    (passing: (text: string) => string): Write =>
    (text) =>
      gone || text === "" ? Promise.resolve() : send(passing(text));

  return {
    write: writing((text) => (isRead() ? safeOnScreen(hide(text)) : hide(text))),
    writeJson: writing((json) => (isRead() ? safeJson(hideJson(json)) : hideJson(json))),
    rewriteLine: async (text) => {
      if (!gone) await send(`\r\u001b[K${safeOnScreen(hide(text))}`);
    },
    clearScreen: async () => {
      if (!gone) await send("\u001b[H\u001b[J");
    },
    isGone: () => gone,
  };
}

/** Windows reports EOF where other systems report EPIPE. */
const closedPipeCodes = new Set(["EPIPE", "EOF", "ERR_STREAM_DESTROYED", "ECONNRESET"]);

function isClosedPipe(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return closedPipeCodes.has(code ?? "");
}
