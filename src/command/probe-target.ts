import { randomBytes } from "node:crypto";
import { SendctlError } from "../core/error.ts";
import type { NoResponse } from "../probe/outcome.ts";
import type { ProbeTarget, Sending } from "../probe/session.ts";
import { attempt } from "../client/http/attempt.ts";
import { openRemote, type RemoteSettings } from "../client/client.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Cleanups } from "./process.ts";

type Process = Pick<Runtime, "onStop" | "sleep">;

/** Returns random hexadecimal digits. */
const hex = (digits: number): string => randomBytes(digits).toString("hex").slice(0, digits);

/** Returns what a probe uses of its process. */
function processOf({ onStop, sleep }: Process, cleanups: Cleanups) {
  const [stop, abandon] = [new AbortController(), new AbortController()];
  const sleepUntil: ProbeTarget["sleep"] = (milliseconds, signal) =>
    sleep(milliseconds, signal).catch(() => {});
  cleanups.push(onStop((signal) => (stop.signal.aborted ? abandon : stop).abort(signal)));
  const signals = { stop: stop.signal, abandon: abandon.signal };
  return { ...signals, sleep: sleepUntil, hex } satisfies Partial<ProbeTarget>;
}

/**
 * Returns a remote service as the target of a probe.
 *
 * @throws SendctlError "auth" without a key, "usage" for an invalid key or address
 */
export async function remoteProbeTarget(
  settings: RemoteSettings,
  runtime: Process,
  cleanups: Cleanups,
): Promise<ProbeTarget> {
  const process = processOf(runtime, cleanups);
  /** The request in flight. */
  let sending: Sending | undefined;
  const client = await openRemote({
    ...settings,
    signal: process.abandon,
    sleep: (milliseconds, signal) => process.sleep(milliseconds, sending?.stop ?? signal),
    attempt: async (request) => {
      const { signal, before, after } = sending!;
      await before();
      const outcome = await attempt({ ...request, signal });
      after("error" in outcome ? undefined : outcome.status);
      return outcome;
    },
  });
  cleanups.push(client.close);
  return {
    ...process,
    name: client.host,
    keyHint: settings.keyHint,
    send: async (request, how) => {
      sending = how;
      const check = { command: "sendctl probe --clean", keys: [], options: [] };
      try {
        const performed = await client.perform(request, check);
        return "unknown" in performed
          ? { lost: performed.unknown.message, unsent: false }
          : performed.response;
      } catch (error) {
        return lostBy(error);
      }
    },
  };
}

/** Returns why a request got no response. @throws any other error */
function lostBy(error: unknown): NoResponse {
  if (error instanceof SendctlError) {
    const { kind, message, hint } = error;
    if (kind === "unavailable") return { lost: message, hint, unsent: true };
    // A body over 64 MiB, or one that is not HTTP.
    if (kind === "unexpected_response") return { lost: message, hint, unsent: false };
  }
  throw error;
}
