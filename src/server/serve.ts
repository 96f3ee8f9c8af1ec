import { type Reply, type Service, envelopeOf } from "../contract/service.ts";
import { contentHeaders, type Request } from "../contract/request.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { InjectedFault } from "./faults.ts";
import { safeText } from "../core/text.ts";
import { bodyTooLong, dispatch, dispatchPublic, isServicePath, routeOf } from "./dispatch.ts";
import { createFaults } from "./inject-faults.ts";
import { maxBodyBytes, splitTarget } from "./http.ts";
import { startServer, type ListenOptions } from "./server.ts";
import type { Reports } from "./handle.ts";

export interface ServingOptions extends ListenOptions, Reports {
  /** The switches of the engine (default: the profile's). The engine is opened with them. */
  readonly behaviour?: PartialBehaviour | undefined;
  /** Requests per second and key; undefined for no limit. */
  readonly rateLimit: number | undefined;
  /** Faults to inject. */
  readonly faults?: readonly InjectedFault[];
  /** Milliseconds until a sender ID is approved; undefined for never. */
  readonly autoApproveAfter?: number | undefined;
}

export type Serving = Awaited<ReturnType<typeof startServing>>;

/** Milliseconds that a server waits for a lock of another process, blocked in the meantime. */
export const lockTimeout = 2000;

const encoder = new TextEncoder();

/** Returns the response that the engine's server would send to a request, without a port. */
export async function respondInProcess(
  engine: Embedded,
  service: Service,
  request: Request,
): Promise<Reply> {
  const { method, path } = request;
  const [pathname, query] = splitTarget(path);
  const contentType = contentHeaders(request)["Content-Type"];
  const body = encoder.encode(request.body);
  const { refuse } = engine;
  const response = !isServicePath(pathname)
    ? await dispatchPublic(method, pathname, engine)
    : body.length > maxBodyBytes
      ? bodyTooLong(refuse)
      : await dispatch(
          service,
          { method, routed: routeOf(method, pathname), query, contentType, body },
          refuse,
        );
  const text = method === "HEAD" ? "" : response.text;
  const envelope = text === "" ? undefined : envelopeOf(JSON.parse(text));
  return { status: response.status, text, envelope };
}

/**
 * Serves the engine on a port.
 *
 * @param tools a monotonic clock in milliseconds, and what prints a line about a defect
 * @throws SendctlError "usage" if the host or port cannot be used
 */
export async function startServing(
  engine: Embedded,
  options: ServingOptions,
  tools: { readonly elapsed: () => number; readonly printError: (text: string) => Promise<void> },
) {
  const { elapsed, printError } = tools;
  const { rateLimit, faults: given = [], autoApproveAfter: delay, record } = options;
  const defect = (error: unknown): void =>
    void printError(`sendctl: A defect in sendctl: ${safeText(String(error))}\n`);
  const approval = delay === undefined ? undefined : engine.approveAfter(delay, defect);
  const faults = createFaults(elapsed);
  faults.replace(given);
  const limit = createRateLimit(rateLimit, elapsed);
  const served = {
    ...options,
    engine,
    // Rate limits and records of requests need a key that was looked up.
    canRemember: rateLimit === undefined && record === undefined,
    approve: delay === 0 ? approval?.approve : undefined,
    allows: limit.allows,
    faults,
    defect,
    elapsed,
  };
  const server = await startServer(served, options);
  approval?.start();
  const stop = async (): Promise<void> => {
    await server.stop();
    await approval?.stop();
  };
  return { ...server, stop, engine, faults, resetRateLimit: limit.reset };
}

/**
 * Creates a limit of `perSecond` requests per second for each key, also its burst: ruling 24.
 *
 * @param perSecond undefined for no limit
 * @param elapsed monotonic time in milliseconds
 */
function createRateLimit(perSecond: number | undefined, elapsed: () => number) {
  /** When a key has used up its requests, in milliseconds: each takes a share of a second. */
  const used = new Map<string, number>();
  return {
    /** Returns whether another request is allowed. Otherwise one is within a second. */
    allows: (key: string): boolean => {
      if (perSecond === undefined) return true;
      const now = elapsed();
      const next = Math.max(used.get(key) ?? -Infinity, now - 1000) + 1000 / perSecond;
      // Sums of fractions are inexact.
      if (next > now + 0.01) return false;
      used.set(key, next);
      return true;
    },
    /** Lets every key send as many requests as at the start. */
    reset: (): void => used.clear(),
  };
}
