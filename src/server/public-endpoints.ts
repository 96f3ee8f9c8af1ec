import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Refuse } from "../engine/rules/replies.ts";
import { refusal, unknownPath, type ServedResponse } from "./dispatch.ts";

/** Endpoints that need no key. */
export interface PublicEndpoints {
  /** Rejects if the database cannot be used. */
  readonly checkHealth: () => Promise<void>;
  /** JSON text. */
  readonly openApi: () => Promise<string>;
  readonly refuse: Refuse;
  /** The switches in which the service differs from the engine's own rulings. */
  readonly changed: PartialBehaviour;
}

/** Responds to a GET request. */
type Respond = (endpoints: PublicEndpoints) => Promise<ServedResponse>;

/** What responds to each path. No behaviour changes the statuses of health checks. */
const responses: Readonly<Record<string, Respond>> = {
  "/healthz": async ({ checkHealth, changed }) => {
    await checkHealth();
    const data = Object.keys(changed).length === 0 ? null : { behaviour: changed };
    return { status: 200, text: JSON.stringify({ status: true, message: "Healthy", data }) };
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
): Promise<ServedResponse> {
  const { refuse } = endpoints;
  const respond = Object.hasOwn(responses, pathname) ? responses[pathname] : undefined;
  if (respond === undefined) return unknownPath(refuse);
  const headers = { Allow: "GET, HEAD, OPTIONS" };
  if (method === "OPTIONS") return { status: 204, text: "", headers };
  if (method === "GET" || method === "HEAD") return respond(endpoints);
  const refused = refusal(refuse, 405, `${method} is not allowed for this path`, headers);
  return { ...refused, status: 405 };
}
