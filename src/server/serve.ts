import { type Reply, type Service, envelopeOf } from "../contract/service.ts";
import { contentHeaders, type Request } from "../contract/request.ts";
import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { InjectedFault } from "./faults.ts";
import { safeText } from "../core/text.ts";
import { bodyTooLong, dispatch, dispatchPublic, isServicePath } from "./dispatch.ts";
import { createFaults } from "./inject-faults.ts";
import { maxBodyBytes, splitTarget } from "./http.ts";
import { startServer, type ListenOptions } from "./server.ts";
import type { Reports, Served } from "./handle.ts";

export interface ServingOptions extends ListenOptions, Reports {
  /** The switches of the engine to serve (default: those of the profile). The engine is opened with them. */
  readonly behaviour?: PartialBehaviour | undefined;
  /** Requests per second and key; undefined for no limit. */
  readonly rateLimit: number | undefined;
  /** Faults to inject. */
  readonly faults?: readonly InjectedFault[];
  /** Milliseconds until a sender ID is approved; undefined for never. */
  readonly autoApproveAfter?: number | undefined;
}

/** What a server needs of its process. */
interface ServerTools {
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  /** Prints a line about a defect. */
  readonly printError: (text: string) => Promise<void>;
}

export type Serving = Awaited<ReturnType<typeof startServing>>;

/** Milliseconds that a server waits for a lock of another process. It is blocked in the meantime. */
export const lockTimeout = 2000;

const encoder = new TextEncoder();

/** Returns the response that the server of the engine would send to a request, without opening a port. */
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
      : await dispatch(service, { method, pathname, query, contentType, body }, refuse);
  const text = method === "HEAD" ? "" : response.text;
  const envelope = text === "" ? undefined : envelopeOf(JSON.parse(text));
  return { status: response.status, text, envelope };
}

/**
 * Serves the engine on a port.
 *
 * @throws SendctlError "usage" if the host or port cannot be used
 */
export async function startServing(
  engine: Embedded,
  options: ServingOptions,
  { elapsed, printError }: ServerTools,
) {
  const { callerOf, rememberedCaller, changed, checkHealth, refuse } = engine;
  const { rateLimit, faults: given = [], autoApproveAfter, record } = options;
  const defect = (error: unknown): void =>
    void printError(`sendctl: A defect in sendctl: ${safeText(String(error))}\n`);
  const approval =
    autoApproveAfter === undefined ? undefined : engine.approveAfter(autoApproveAfter, defect);
  const isImmediate = approval !== undefined && autoApproveAfter === 0;
  const faults = createFaults(elapsed);
  faults.replace(given);
  const limit = createRateLimit(rateLimit, elapsed);
  // Rate limits and records of requests need a key that was looked up.
  const canRemember = !isImmediate && rateLimit === undefined && record === undefined;
  const served: Served = {
    ...options,
    changed,
    checkHealth,
    refuse,
    callerOf: isImmediate ? withApproval(callerOf, approval.approve) : callerOf,
    rememberedCaller: canRemember ? rememberedCaller : undefined,
    allows: limit.allows,
    faultsOf: faults.of,
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

/** Approves a new sender ID before its response, whose status is PENDING, is sent. */
function withApproval(
  callerOf: Embedded["callerOf"],
  approve: () => Promise<void>,
): Embedded["callerOf"] {
  return async (key) => {
    const caller = await callerOf(key);
    if (caller === undefined) return undefined;
    const create: Service["sender-id.create"] = async (input) => {
      const reply = await caller.service["sender-id.create"](input);
      await approve();
      return reply;
    };
    return { ...caller, service: { ...caller.service, "sender-id.create": create } };
  };
}

/**
 * Creates a limit of `perSecond` requests per second for each key, which is also the largest burst: ruling 24.
 *
 * @param perSecond undefined for no limit
 * @param elapsed monotonic time in milliseconds
 */
function createRateLimit(perSecond = Infinity, elapsed: () => number) {
  /** `at` is the time of the last update. */
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    /** Returns whether another request is allowed. Otherwise one is within a second. */
    allows: (key: string): boolean => {
      if (perSecond === Infinity) return true;
      const time = elapsed();
      const bucket = buckets.get(key) ?? { tokens: perSecond, at: time };
      const grown = bucket.tokens + ((time - bucket.at) / 1000) * perSecond;
      bucket.tokens = Math.min(perSecond, grown);
      bucket.at = time;
      buckets.set(key, bucket);
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
    /** Lets every key send as many requests as at the start. */
    reset: (): void => buckets.clear(),
  };
}
