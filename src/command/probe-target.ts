import { randomBytes } from "node:crypto";
import type { Behaviour } from "../contract/behaviour.ts";
import type { Reply, Service } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import type { Request } from "../contract/request.ts";
import type { NoResponse } from "../probe/outcome.ts";
import type { ProbeKey, ProbeTarget, Sending } from "../probe/session.ts";
import { attempt } from "../client/http/attempt.ts";
import { openRemote, type RemoteSettings, createRemote } from "../client/client.ts";
import type { RemoteOptions } from "../client/calls.ts";
import type { Runtime } from "../core/runtime.ts";
import type { Cleanups, clientTools } from "./process.ts";

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
  const keys: Readonly<Record<ProbeKey, string | undefined>> = {
    own: settings.key,
    none: undefined,
    unknown: hex(40),
  };
  /** The request in flight. */
  let sending: Sending | undefined;
  const client = await openRemote({
    ...settings,
    signal: process.abandon,
    sleep: (milliseconds, signal) => process.sleep(milliseconds, sending?.stop ?? signal),
    attempt: async (request) => {
      const { key, signal, before, after } = sending!;
      await before();
      const { Authorization: _, ...others } = request.headers;
      const headers =
        keys[key] === undefined ? others : { Authorization: `Bearer ${keys[key]}`, ...others };
      const outcome = await attempt({ ...request, headers, signal });
      after("error" in outcome ? undefined : outcome.status);
      return outcome;
    },
  });
  cleanups.push(client.close);
  return {
    ...process,
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
  runtime: Process,
  cleanups: Cleanups,
): ProbeTarget {
  return {
    ...processOf(runtime, cleanups),
    name,
    isHttp: false,
    send: async (request, { before }) => {
      await before();
      const { status, text } = await respond(request);
      return { status, text };
    },
  };
}

/**
 * Returns the client of an engine with a behaviour other than its own. It is the remote client without HTTP, so that
 * commands work as with a service that behaves like this: an update, for example, sends all fields if the service
 * resets those that are omitted.
 *
 * @param respond responds to a request
 */
export function embeddedClient(
  behaviour: Behaviour,
  respond: (request: Request) => Promise<Reply>,
  tools: ReturnType<typeof clientTools>,
): Service {
  return createRemote({
    ...tools,
    // Messages show its host as the name of the service.
    base: new URL("http://embedded-engine"),
    key: "",
    behaviour,
    timeout: 0,
    retries: 0,
    attempt: async ({ method, path, body }) => {
      const { status, text } = await respond({ method, path, body });
      return { status, text, headers: {} };
    },
    // Not used, because no request is sent over HTTP.
    route: {} as RemoteOptions["route"],
    log: async () => {},
    watch: undefined,
  }).service;
}
