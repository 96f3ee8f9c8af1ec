import http from "node:http";
import https from "node:https";
import { isThisMachine } from "./base-url.ts";
import { Failure } from "../failure.ts";

/** How requests travel. */
export interface Route {
  readonly agent: http.Agent;
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
  if (address === "") {
    const agent = isSecure ? new https.Agent(keepAlive) : new http.Agent(keepAlive);
    return { agent, via: undefined };
  }
  if (!URL.canParse(address))
    throw new Failure("usage", `${name} is no URL: give http://host:port`);
  const proxy = new URL(address);
  const agent = isSecure
    ? new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, keepAlive)
    : new (await import("http-proxy-agent")).HttpProxyAgent(proxy, keepAlive);
  return { agent, via: proxy.host };
}

const keepAlive = { keepAlive: true, maxSockets: 16 };

async function proxyFor(url: URL): Promise<string> {
  const { getProxyForUrl } = await import("proxy-from-env");
  return getProxyForUrl(url.href);
}
