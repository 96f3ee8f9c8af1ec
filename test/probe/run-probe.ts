import type { StopSignal } from "../../src/runtime/run-program.ts";
import { run, type Run } from "../remote/run-remote.ts";
import { makeHome } from "../support/home.ts";
import type { Finding } from "../../src/probe/findings.ts";

export interface ProbeRun extends Run {
  /** The envelope of `--json`; undefined if stdout is something else. */
  readonly data: ProbeData | undefined;
  readonly error: { readonly kind: string } | undefined;
}

interface ProbeData {
  readonly target: string;
  readonly requests: Readonly<Record<string, number>>;
  readonly rulings: readonly Finding[];
  readonly leftovers: readonly { readonly name: string; readonly id: string | null }[];
}

/** A clock that only pauses advance. */
export interface Clock {
  now: number;
}

export function newClock(): Clock {
  return { now: Date.UTC(2026, 1, 2, 8) };
}

interface ProbeRunOptions {
  readonly baseUrl?: string;
  readonly key?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970, which pauses advance (default: a new clock). */
  readonly clock?: Clock;
  /** Receives a function that sends a signal to the program. */
  readonly stopWith?: (stop: (signal: StopSignal) => void) => void;
  /** The answer to a confirmation prompt at a terminal. */
  readonly keys?: string;
  /** The folder for all files (default: a new one). */
  readonly folder?: string;
}

/** Runs sendctl in this process, in a runtime where waiting takes no time. */
export async function runProbe(
  args: readonly string[],
  options: ProbeRunOptions = {},
): Promise<ProbeRun> {
  const { baseUrl, key = "", env, keys, stopWith, clock = newClock() } = options;
  const ran = await run(args, {
    home: options.folder ?? (await makeHome()).folder,
    clock,
    env: {
      SENDCTL_SECRET_KEY: key,
      ...(baseUrl === undefined ? {} : { SENDCTL_BASE_URL: baseUrl }),
      ...env,
    },
    ...(stopWith === undefined ? {} : { stopWith }),
    ...(keys === undefined ? {} : { keys, terminal: 80 }),
  });
  const envelope = parsed(ran.stdout);
  return { ...ran, data: envelope?.data ?? undefined, error: envelope?.error };
}

function parsed(
  text: string,
): { readonly data?: ProbeData; readonly error?: { readonly kind: string } } | undefined {
  try {
    return JSON.parse(text) as { readonly data?: ProbeData };
  } catch {
    return undefined;
  }
}

/** Returns the findings of switches: their observed values, or their verdict and reason. */
export function switchesOf(run: ProbeRun): Record<string, unknown> {
  const rulings = run.data?.rulings ?? [];
  return Object.fromEntries(
    rulings.flatMap(({ switch: name, verdict, observed, how }) =>
      name === undefined ? [] : [[name, verdict === "unknown" ? `unknown: ${how}` : observed]],
    ),
  );
}
