import { SendctlError } from "../core/error.ts";
import type { OutputStream, Runtime } from "../core/runtime.ts";
import { safeJson, safeOnScreen } from "../core/text.ts";
import type { Secrets } from "../core/secrets.ts";

/** Writes text. Resolves when it was written, or immediately if the reader is gone. */
export type Write = (text: string) => Promise<void>;

/** The only way to write to stdout and stderr: removes secrets, escapes control characters. */
export type Writer = ReturnType<typeof createWriter>;

/**
 * Creates a writer on a stream. If the reader is gone (EPIPE), the rest is dropped without an
 * error. Any other failure, such as a full disk, is an error.
 *
 * @param isData false for messages to the user, which may be lost without an error and are always
 *   made safe to show
 */
export function createWriter(
  stream: () => OutputStream,
  isData: boolean,
  { hide, hideJson }: Pick<Secrets, "hide" | "hideJson">,
) {
  let opened: OutputStream | undefined;
  let isGone = false;
  let holds = false;
  let failure: SendctlError | undefined;
  const open = (): OutputStream => {
    if (opened !== undefined) return opened;
    opened = stream();
    // Each write handles its error; without a listener, the event would crash the process.
    opened.on("error", () => {});
    return opened;
  };
  /** Data for a pipe or file is not escaped. */
  const isShown = (): boolean => !isData || open().isTTY === true;
  const send = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      open().write(text, (error) => {
        if (!error) return resolve();
        isGone = true;
        const { code = "" } = error as NodeJS.ErrnoException;
        if (closedPipeCodes.has(code) || !isData) return resolve();
        const message = `cannot write to standard output: ${error.message}`;
        const hint = "the command was carried out; only its output is lost";
        const details = holds ? { cause: error, hint } : { cause: error };
        failure = new SendctlError("output", message, details);
        if (holds) resolve();
        else reject(failure);
      });
    });
  const writing =
    (filter: (text: string) => string): Write =>
    (text) =>
      isGone || text === "" ? Promise.resolve() : send(filter(text));

  return {
    write: writing((text) => (isShown() ? safeOnScreen(hide(text)) : hide(text))),
    /** Writes JSON. It stays valid JSON without the secrets. */
    writeJson: writing((json) => (isShown() ? safeJson(hideJson(json)) : hideJson(json))),
    /** Replaces the current line of progress; "" removes it. */
    rewriteLine: async (text: string): Promise<void> => {
      if (!isGone) await send(`\r\u001b[K${safeOnScreen(hide(text))}`);
    },
    /** Clears the terminal before a redraw. */
    clearScreen: async (): Promise<void> => {
      if (!isGone) await send("\u001b[H\u001b[J");
    },
    /** Returns whether the reader is gone or a write has failed. */
    isGone: (): boolean => isGone,
    /** From now on, failures end no write: a command that changes something says what it did. */
    holdFailures: (): void => {
      holds = true;
    },
    /** Returns the failure that was held. */
    failure: (): SendctlError | undefined => (holds ? failure : undefined),
  };
}

/** Windows reports EOF where other systems report EPIPE. */
const closedPipeCodes = new Set(["EPIPE", "EOF", "ERR_STREAM_DESTROYED", "ECONNRESET"]);

/** The writers of a process. They precede the settings, whose errors they report. */
export interface Writers {
  readonly out: Writer;
  readonly err: Writer;
}

/** Creates the writers of standard output and standard error. */
export function createWriters(runtime: Runtime, secrets: Secrets): Writers {
  return {
    out: createWriter(() => runtime.stdout, true, secrets),
    err: createWriter(() => runtime.stderr, false, secrets),
  };
}
