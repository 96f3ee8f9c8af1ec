import { homedir } from "node:os";
import { descriptorStream } from "./io/descriptor-stream.ts";

/** Where text goes: a terminal, a pipe or a file. */
export interface OutputStream {
  readonly isTTY?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
  readonly write: (text: string, done: (error?: Error | null) => void) => boolean;
  readonly on: (event: "error", heard: () => void) => unknown;
}

type InputStream = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** All that sendctl has from the process that runs it. Tests hand in their own. */
export interface World {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly home: string;
  /** Microseconds since 1970, UTC. */
  readonly now: () => number;
}

/** The real one, each part made when it is first asked for: a stream costs time to make. */
export function processWorld(): World {
  let stdout: OutputStream | undefined;
  let stderr: OutputStream | undefined;
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return (stdout ??= descriptorStream(1, () => process.stdout));
    },
    get stderr() {
      return (stderr ??= descriptorStream(2, () => process.stderr));
    },
    get env() {
      return process.env;
    },
    get folder() {
      return process.cwd();
    },
    get home() {
      return homedir();
    },
    now: microseconds,
  };
}

/** Date counts milliseconds; the monotonic clock gives the digits behind them while the two agree. */
function microseconds(): number {
  const coarse = Date.now() * 1000;
  const fine = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  return Math.abs(fine - coarse) < 2000 ? fine : coarse;
}
