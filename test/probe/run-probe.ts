import type { Finding } from "../../src/probe/probe.ts";
import { run, type Run, type RunOptions } from "../client/run-remote.ts";

export interface ProbeRun extends Run {
  /** The envelope of `--json`; undefined if stdout is something else. */
  readonly data: ProbeData | undefined;
  readonly error: { readonly kind: string } | undefined;
}

interface ProbeData {
  readonly target: string;
  readonly rulings: readonly Finding[];
  readonly leftovers: readonly { readonly name: string; readonly id: string | null }[];
}

/** Returns a clock that only pauses advance. */
export function newClock(): { now: number } {
  return { now: Date.UTC(2026, 1, 2, 8) };
}

interface ProbeRunOptions extends Pick<RunOptions, "clock" | "env" | "keys" | "stopWith"> {
  readonly baseUrl?: string;
  readonly key?: string;
  /** The folder for all files (default: none). */
  readonly folder?: string;
}

/** Runs sendctl in this process, in a runtime where waiting takes no time. With `keys`, it has a terminal. */
export async function runProbe(
  args: readonly string[],
  { baseUrl, key = "", folder, env, ...options }: ProbeRunOptions = {},
): Promise<ProbeRun> {
  const ran = await run(args, {
    clock: newClock(),
    ...options,
    ...(options.keys === undefined ? {} : { terminal: 80 }),
    ...(folder === undefined ? {} : { home: folder }),
    env: {
      SENDCTL_SECRET_KEY: key,
      ...(baseUrl === undefined ? {} : { SENDCTL_BASE_URL: baseUrl }),
      ...env,
    },
  });
  const envelope = parsed(ran.stdout);
  return { ...ran, data: envelope?.data ?? undefined, error: envelope?.error };
}

function parsed(text: string): Partial<Pick<ProbeRun, "data" | "error">> | undefined {
  try {
    return JSON.parse(text) as Partial<Pick<ProbeRun, "data" | "error">>;
  } catch {
    return undefined;
  }
}

/** Returns the findings of switches: their observed values, or their verdict and reason. */
export function switchesOf(run: ProbeRun): Record<string, unknown> {
  const rulings = run.data?.rulings ?? [];
  return Object.fromEntries(
    rulings.flatMap(({ switch: name, observed, reason }) => [
      [name, reason === null ? observed : `unknown: ${reason}`],
    ]),
  );
}
