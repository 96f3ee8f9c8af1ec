import type { Embedded } from "../engine/embedded.ts";
import { refusal, unknownPath, type ServedResponse } from "./dispatch.ts";

/** What the endpoints that need no key use of the engine. */
export type PublicEndpoints = Pick<Embedded, "checkHealth" | "changed" | "refuse">;

const publicPaths = new Set(["/healthz", "/openapi.json"]);

/** Returns whether a path is that of an endpoint without a key. */
export function isPublicPath(pathname: string): boolean {
  return publicPaths.has(pathname);
}

/** Responds to requests that need no key: ruling 26. No behaviour changes the statuses of these endpoints. */
export async function dispatchPublic(
  method: string,
  pathname: string,
  { checkHealth, changed, refuse }: PublicEndpoints,
): Promise<ServedResponse> {
  if (!isPublicPath(pathname)) return unknownPath(refuse);
  const headers = { Allow: "GET, HEAD, OPTIONS" };
  if (method === "OPTIONS") return { status: 204, text: "", headers };
  if (method !== "GET" && method !== "HEAD") {
    const refused = refusal(refuse, 405, `${method} is not allowed for this path`, headers);
    return { ...refused, status: 405 };
  }
  if (pathname === "/openapi.json") return { status: 200, text: await (document ??= openApi()) };
  await checkHealth();
  const data = Object.keys(changed).length === 0 ? null : { behaviour: changed };
  return { status: 200, text: JSON.stringify({ status: true, message: "Healthy", data }) };
}

/** The OpenAPI document, which is the same for every engine, once it was requested. */
let document: Promise<string> | undefined;

async function openApi(): Promise<string> {
  const { openApiDocument } = await import("./openapi/document.ts");
  return JSON.stringify(openApiDocument("/", "This server"));
}
