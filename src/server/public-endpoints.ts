import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Refuse } from "../engine/rules/replies.ts";
import { refusal, unknownPath, type ServedResponse } from "./dispatch.ts";
import { SendctlError } from "../core/error.ts";
import { setTimeout } from "node:timers/promises";

/** Endpoints that need no key. */
export interface PublicEndpoints {
  /** Rejects if the database cannot be used. */
  readonly checkHealth: () => Promise<void>;
  /** Returns why the database is not ready. */
  readonly readiness: () => Promise<NotReady | undefined>;
  /** JSON text. */
  readonly openApi: () => Promise<string>;
  readonly refuse: Refuse;
  /** The switches in which the service differs from the engine's own rulings. */
  readonly changed: PartialBehaviour;
}

/** Responds to a GET request. */
type Respond = (
  endpoints: PublicEndpoints,
  isDraining: boolean,
) => ServedResponse | Promise<ServedResponse>;

/** What responds to each path. No behaviour changes the statuses of health checks. */
const responses: Readonly<Record<string, Respond>> = {
  "/healthz": async ({ checkHealth, changed }) => {
    await checkHealth();
    const data = Object.keys(changed).length === 0 ? null : { behaviour: changed };
    return envelope(200, "Healthy", data);
  },
  "/livez": () => envelope(200, "Alive"),
  "/readyz": async ({ readiness }, isDraining) => {
    const cause = isDraining ? "draining" : await readiness();
    if (cause === undefined) return envelope(200, "Ready");
    return {
      ...envelope(503, `Not ready: ${cause}`, { cause }),
      headers: { "Retry-After": "1" },
      failure: { cause: "not_ready" },
    };
  },
  "/openapi.json": async ({ openApi }) => ({ status: 200, text: await openApi() }),
};

/** Returns whether a path is that of an endpoint without a key. */
export function isPublicPath(pathname: string): boolean {
  return Object.hasOwn(responses, pathname);
}

/** Responds to requests that need no key: ruling 26. */
export async function dispatchPublic(
  method: string,
  pathname: string,
  endpoints: PublicEndpoints,
  isDraining = false,
): Promise<ServedResponse> {
  const { refuse } = endpoints;
  const respond = Object.hasOwn(responses, pathname) ? responses[pathname] : undefined;
  if (respond === undefined) return unknownPath(refuse);
  const headers = { Allow: "GET, HEAD, OPTIONS" };
  if (method === "OPTIONS") return { status: 204, text: "", headers };
  if (method === "GET" || method === "HEAD") return respond(endpoints, isDraining);
  const refused = refusal(refuse, 405, `${method} is not allowed for this path`, headers);
  return { ...refused, status: 405 };
}

function envelope(status: number, message: string, data: unknown = null): ServedResponse {
  return { status, text: JSON.stringify({ status: status === 200, message, data }) };
}

/** Why a server is not ready, in fixed words. */
export type NotReady = "draining" | "database" | "writes blocked";

/** Milliseconds for which a result is reused, so that frequent requests do not load the database. */
const validity = 250;

/** Milliseconds after which a database that does not respond counts as unusable. */
const timeout = 3000;

/**
 * Creates a check that returns why the database is not ready; undefined if it accepts reads and writes.
 *
 * @param checkHealth rejects if the database cannot be used
 * @param elapsed monotonic time in milliseconds
 */
export function createReadiness(
  checkHealth: () => Promise<void>,
  elapsed: () => number,
): () => Promise<NotReady | undefined> {
  let current: Promise<NotReady | undefined> | undefined;
  let doneAt = Number.NEGATIVE_INFINITY;

  async function check(): Promise<NotReady | undefined> {
    const checked = checkHealth().then(() => undefined, causeOf);
    try {
      return await Promise.race([
        checked,
        setTimeout(timeout, "database" as const, { ref: false }),
      ]);
    } finally {
      doneAt = elapsed();
    }
  }

  return () => {
    // While a check runs, `doneAt` is in the future, and requests share it.
    if (elapsed() >= doneAt + validity) {
      doneAt = Number.POSITIVE_INFINITY;
      current = check();
    }
    return current!;
  };
}

function causeOf(error: unknown): NotReady {
  if (!(error instanceof SendctlError) || error.kind !== "database") throw error;
  return error.database === "locked" ? "writes blocked" : "database";
}
