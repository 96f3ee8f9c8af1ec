import type { Agent } from "node:http";
import type { request } from "node:https";
import { SendctlError } from "../../contract/error.ts";
import { isLoopback } from "./base-url.ts";

/** How requests travel. */
export interface Route {
  /** Of node:http, which ignores options of TLS, or node:https; only the one that is needed is loaded. */
  readonly request: typeof request;
  readonly agent: Agent;
  /** Host and port of the proxy in between. */
  readonly via: string | undefined;
}

/** The environment, as handed in. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The route to a service: through the proxy that HTTPS_PROXY or HTTP_PROXY name unless NO_PROXY excepts
 * the host. This machine is never reached through a proxy, which would see the key.
 *
 * @throws SendctlError "usage" for a proxy that is no HTTP URL; it may hold a password, and is not repeated
 */
export async function routeTo(base: URL, env: Environment): Promise<Route> {
  const isSecure = base.protocol === "https:";
  const { request, Agent } = isSecure ? await import("node:https") : await import("node:http");
  const { name, address, exception } = proxyFor(base, env);
  if (address === undefined || exception !== undefined)
    return { request, agent: new Agent(keepAlive), via: undefined };
  const full = address.includes("://") ? address : `http://${address}`;
  const proxy = URL.canParse(full) ? new URL(full) : undefined;
  if (proxy === undefined || !["http:", "https:"].includes(proxy.protocol)) {
    throw new SendctlError("usage", `${name} is not the address of a proxy`, {
      hint: "write it like http://host:port",
      setting: name,
    });
  }
  const agent = isSecure
    ? new (await import("https-proxy-agent")).HttpsProxyAgent(proxy, keepAlive)
    : new (await import("http-proxy-agent")).HttpProxyAgent(proxy, keepAlive);
  return { request, agent, via: proxy.host };
}

/** What the environment says of a proxy to a service. */
interface ProxyChoice {
  /** The variable that would name one. */
  readonly name: string;
  /** What it holds, which may be a password, too; undefined where it names none. */
  readonly address: string | undefined;
  /** Why it is not used all the same. */
  readonly exception: "this machine" | "NO_PROXY" | undefined;
}

/** Which proxy is for a service, by the environment, and whether the service is excepted from it. */
export function proxyFor(base: URL, env: Environment): ProxyChoice {
  const name = base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const address = variable(env, name);
  if (isLoopback(base)) return { name, address, exception: "this machine" };
  return { name, address, exception: isExcepted(base, env) ? "NO_PROXY" : undefined };
}

/** The certificate of a proxy is verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0. */
const keepAlive = { keepAlive: true, maxSockets: 16, rejectUnauthorized: true };

/** In either case, the lower one first, as curl has it. */
function variable(env: Environment, name: string): string | undefined {
  return [env[name.toLowerCase()], env[name]].find((value) => value !== undefined && value !== "");
}

/** Whether NO_PROXY names the host: itself, a domain that it is in, either with a port, or `*` for all. */
function isExcepted({ hostname, port, protocol }: URL, env: Environment): boolean {
  const actualPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return (variable(env, "NO_PROXY") ?? "").split(/[\s,]+/).some((entry) => {
    const [, host = "", entryPort] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (host === "*") return true;
    if (host === "" || (entryPort !== undefined && entryPort !== actualPort)) return false;
    const domain = host.toLowerCase().replace(/^\*?\.?/, "");
    return hostname === domain || hostname.endsWith(`.${domain}`);
  });
}
