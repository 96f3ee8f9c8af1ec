import { randomBytes } from "node:crypto";
import type { Reply } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import type { Request } from "../contract/request.ts";
import type { NoResponse } from "../probe/outcome.ts";
import type { ProbeKey, ProbeTarget, Sending } from "../probe/session.ts";
import { attempt } from "../client/http/attempt.ts";
import { openPerformer, type RemoteSettings } from "../client/client.ts";
import type { Runtime } from "../core/runtime.ts";

type Surroundings = Pick<Runtime, "onStop" | "sleep">;

/** Milliseconds that a write in flight may take after a signal. */
const grace = 3000;

/** Returns random hexadecimal digits. */
function hex(digits: number): string {
  return randomBytes(digits).toString("hex").slice(0, digits);
}

/** Returns what a probe needs of its surroundings. @param closers functions to call at the end of the command */
function surroundings(
  { onStop, sleep }: Surroundings,
  closers: (() => void)[],
): Pick<ProbeTarget, "stop" | "settle" | "abandon" | "sleep" | "hex"> {
  const stop = new AbortController();
  const settle = new AbortController();
  const abandon = new AbortController();
  const sleepUntil: ProbeTarget["sleep"] = (milliseconds, signal) =>
    sleep(milliseconds, signal).catch(() => {});
  closers.push(
    onStop((signal) => {
      if (stop.signal.aborted) return abandon.abort(signal);
      stop.abort(signal);
      return void sleepUntil(grace, abandon.signal).then(() => settle.abort(signal));
    }),
    // Ends that wait with the command.
    () => abandon.abort(),
  );
  return {
    stop: stop.signal,
    settle: settle.signal,
    abandon: abandon.signal,
    sleep: sleepUntil,
    hex,
  };
}

/**
 * Returns a remote service as the target of a probe.
 *
 * @throws SendctlError "auth" without a key, "usage" for an invalid key or address
 */
export async function remoteProbeTarget(
  settings: RemoteSettings,
  runtime: Surroundings,
  closers: (() => void)[],
): Promise<ProbeTarget> {
  const around = surroundings(runtime, closers);
  const keys: Readonly<Record<ProbeKey, string | undefined>> = {
    own: settings.key,
    none: undefined,
    unknown: hex(40),
  };
  /** The request in flight. */
  let sending: Sending | undefined;
  const client = await openPerformer({
    ...settings,
    signal: around.abandon,
    sleep: (milliseconds, signal) => around.sleep(milliseconds, sending?.signal ?? signal),
    attempt: async (request, options) => {
      const { key, signal, before, after } = sending!;
      await before();
      const { Authorization: _, ...others } = request.headers;
      const headers =
        keys[key] === undefined ? others : { Authorization: `Bearer ${keys[key]}`, ...others };
      const outcome = await attempt({ ...request, headers }, { ...options, signal });
      after("error" in outcome ? undefined : outcome);
      return outcome;
    },
  });
  closers.push(client.close);
  return {
    ...around,
    name: client.host,
    keyHint: settings.keyHint,
    isHttp: true,
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

/** Returns the engine in this process as the target of a probe. @param respond responds to a request */
export function embeddedProbeTarget(
  respond: (request: Request) => Promise<Reply>,
  name: string,
  runtime: Surroundings,
  closers: (() => void)[],
): ProbeTarget {
  return {
    ...surroundings(runtime, closers),
    name,
    isHttp: false,
    send: async (request, { before }) => {
      await before();
      const { status, text } = await respond(request);
      return { status, text, headers: {} };
    },
  };
}
