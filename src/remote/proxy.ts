import type { Agent, request } from "node:http";
import { Failure } from "../failure.ts";
import { isThisMachine } from "./base-url.ts";

/** How requests travel. */
export interface Route {
  /** Of node:http or node:https; only the one that is needed is loaded. */
  readonly request: typeof request;
  readonly agent: Agent;
  /** Host and port of the proxy in between. */
  readonly via: string | undefined;
}

/**
 * The route to a service: through the proxy that HTTPS_PROXY or HTTP_PROXY name unless NO_PROXY excepts
 * the host. This machine is never reached through a proxy, which would see the key.
 *
 * @throws Failure "usage" for a proxy that is no URL
 */
export async function routeTo(
  base: URL,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Route> {
  const isSecure = base.protocol === "https:";
  const name = isSecure ? "HTTPS_PROXY" : "HTTP_PROXY";
  const isProxied = !isThisMachine(base) && (env[name] ?? env[name.toLowerCase()] ?? "") !== "";
  const address = isProxied ? await proxyFor(base) : "";
  const { request, Agent } = isSecure ? await import("node:https") : await import("node:http");
  if (address === "") return { request, agent: new Agent(keepAlive), via: undefined };
  if (!URL.canParse(address))
    throw new Failure("usage", `${name} is no URL: give http://host:port`);
  const proxy = new URL(address);
  const agent = isSecure
    ? new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, keepAlive)
    : new (await import("http-proxy-agent")).HttpProxyAgent(proxy, keepAlive);
  return { request, agent, via: proxy.host };
}

const keepAlive = { keepAlive: true, maxSockets: 16 };

async function proxyFor(url: URL): Promise<string> {
  const { getProxyForUrl } = await import("proxy-from-env");
  return getProxyForUrl(url.href);
}
