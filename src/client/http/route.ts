import type { Agent } from "node:http";
import { BlockList, isIP, type Socket } from "node:net";
import type { request } from "node:https";
import { SendctlError } from "../../core/error.ts";
import { withoutTrailingSlashes } from "../../core/text.ts";

/** The transport of requests: direct or through a proxy. */
export interface Route {
  /** From node:http, which ignores TLS options, or node:https; only the required one is loaded. */
  readonly request: typeof request;
  /** Keeps connections open, for reads. */
  readonly agent: Agent;
  /**
   * Opens a connection for each write. A service may be closing one that was idle, and then it
   * would not be known whether it has seen the write.
   */
  readonly writeAgent: Agent;
  /** Opens the connection of the next write; undefined if impossible through the proxy. */
  readonly openAhead: (() => void) | undefined;
  /** Host and port of the proxy; undefined for a direct connection. */
  readonly via: string | undefined;
  readonly close: () => void;
}

/** Environment variables. */
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the route to a service: through the proxy in HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY
 * excludes the host. No proxy is used for localhost, because it would see the key.
 *
 * @throws SendctlError "usage" for an invalid proxy URL, not repeated: it may contain a password
 */
export async function routeTo(base: URL, env: Environment): Promise<Route> {
  const isSecure = base.protocol === "https:";
  const { request, Agent } = isSecure ? await import("node:https") : await import("node:http");
  const { name, address, exception } = proxyFor(base, env);
  if (address === undefined || exception !== undefined) {
    const writeAgent = new Agent(once);
    const openAhead = openingAhead(writeAgent, base);
    return routeOver(request, new Agent(keepAlive), writeAgent, { openAhead });
  }
  const full = address.includes("://") ? address : `http://${address}`;
  const proxy = URL.canParse(full) ? new URL(full) : undefined;
  if (proxy === undefined || !["http:", "https:"].includes(proxy.protocol)) {
    throw new SendctlError("usage", `${name} is not a valid proxy address`, {
      hint: "write it like http://host:port",
      field: name,
    });
  }
  const ProxyAgent = isSecure
    ? (await import("https-proxy-agent")).HttpsProxyAgent
    : (await import("http-proxy-agent")).HttpProxyAgent;
  const agents = [new ProxyAgent(proxy, keepAlive), new ProxyAgent(proxy, once)] as const;
  return routeOver(request, ...agents, { via: proxy.host });
}

function routeOver(
  send: Route["request"],
  agent: Agent,
  writeAgent: Agent,
  { openAhead, via }: Partial<Pick<Route, "openAhead" | "via">>,
): Route {
  const close = (): void => {
    agent.destroy();
    writeAgent.destroy();
  };
  return { request: send, agent, writeAgent, openAhead, via, close };
}

/** Milliseconds after which a connection that no request has used counts as idle. */
const maxAge = 1000;

/**
 * Lets connections of an agent be opened ahead, so that a write need not wait for its own. A
 * connection that is not used within a second is closed, because a service might do the same.
 *
 * @param agent of node:http or node:https, without keep-alive
 * @returns a function that opens a connection for the next request
 */
function openingAhead(agent: Agent, { protocol, hostname, port }: URL): () => void {
  const host = withoutBrackets(hostname);
  const options =
    protocol === "https:"
      ? {
          host,
          port: port || 443,
          servername: isIP(host) === 0 ? host : "",
          rejectUnauthorized: true,
        }
      : { host, port: port || 80 };
  const open = agent.createConnection.bind(agent);
  const unused = new Set<Socket>();
  agent.createConnection = (...args) => {
    for (const socket of unused) {
      unused.delete(socket);
      if (socket.writable && !socket.readableEnded) return socket.ref();
    }
    return open(...args);
  };
  return () => {
    const socket = open(options) as Socket;
    unused.add(socket);
    // A request that uses it reports its errors.
    socket.on("error", () => unused.delete(socket));
    socket.unref();
    setTimeout(() => {
      if (unused.delete(socket)) socket.destroy();
    }, maxAge).unref();
  };
}

/**
 * Returns the proxy that the environment sets for a service: the applicable variable, its value,
 * which may contain a password or be undefined, and why the proxy is not used, if it is not.
 */
export function proxyFor(base: URL, env: Environment) {
  const name = base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const address = variable(env, name);
  if (isLoopback(base)) return { name, address, exception: "localhost" } as const;
  return { name, address, exception: isExcepted(base, env) ? "NO_PROXY" : undefined } as const;
}

/** The certificate of a proxy is verified even if NODE_TLS_REJECT_UNAUTHORIZED is 0. */
const once = { maxSockets: 16, rejectUnauthorized: true };
const keepAlive = { ...once, keepAlive: true };

/** Reads a variable by its lower-case name, then its upper-case name, like curl. */
function variable(env: Environment, name: string): string | undefined {
  return [env[name.toLowerCase()], env[name]].find((value) => value !== undefined && value !== "");
}

/** Returns whether NO_PROXY lists the host or one of its domains, with an optional port, or `*`. */
function isExcepted({ hostname, port, protocol }: URL, env: Environment): boolean {
  const actualPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return (variable(env, "NO_PROXY") ?? "").split(/[\s,]+/).some((entry) => {
    // An IPv6 address without brackets has several colons and no port.
    const [, host = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    if (host === "*") return true;
    if (host === "" || (entryPort !== undefined && entryPort !== actualPort)) return false;
    const domain = host.toLowerCase().replace(/^\*?\.?/, "");
    if (hostname === domain || hostname.endsWith(`.${domain}`)) return true;
    return isAddressIn(hostname, entry) || isAddressIn(hostname, host);
  });
}

/** Returns whether a host is the given address, or in a network (`10.0.0.0/8`, `fd00::/8`). */
function isAddressIn(hostname: string, entry: string): boolean {
  const [address, network] = [withoutBrackets(hostname), withoutBrackets(entry)];
  const family = isIP(address);
  const [start = "", bits = family === 4 ? "32" : "128", ...more] = network.split("/");
  const isNetwork = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  if (family === 0 || isIP(start) !== family || !isNetwork || more.length > 0) return false;
  const list = new BlockList();
  list.addSubnet(start, Number(bits), family === 4 ? "ipv4" : "ipv6");
  return list.check(address, family === 4 ? "ipv4" : "ipv6");
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\](.*)$/, "$1$2");
}

/** Matches localhost, ::1 and 127.0.0.0/8 as URL normalises it. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isLoopback({ hostname }: URL): boolean {
  return loopbackHost.test(hostname);
}

/**
 * Parses the base URL of a service, which may include a path.
 *
 * @param insecureHttp whether the key may be sent over a network unencrypted
 * @throws SendctlError "usage" for the setting `base URL`; a possible password is not repeated
 */
export function readBaseUrl(text: string, insecureHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw invalidBaseUrl("the base URL is invalid", schemeHint(text));
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidBaseUrl("the base URL contains a user name or password", "leave them out");
  }
  if (url.search !== "" || url.hash !== "") {
    throw invalidBaseUrl("the base URL contains ? or #", "end it with its host or path");
  }
  if (url.protocol === "http:" && !isLoopback(url) && !insecureHttp) {
    throw invalidBaseUrl(
      `the base URL ${url.origin} would send the key unencrypted`,
      "use https, or pass --insecure-http",
    );
  }
  return url;
}

/** Matches a host with a port, a dot or both, or localhost, without a user name or password. */
const hostOnly =
  /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?:\/[\w./-]*)?$/i;

/** Returns the hint for an invalid base URL, which may only lack its scheme. */
function schemeHint(text: string): string {
  if (hostOnly.test(text)) {
    const plain = `http://${text}`;
    if (URL.canParse(plain)) {
      return `write ${isLoopback(new URL(plain)) ? plain : `https://${text}`}`;
    }
  }
  return "write it like https://api.example.com";
}

/** The `setting` of base URL errors. A flag, a variable or a profile sets it. */
export const baseUrlSetting = "base URL";

function invalidBaseUrl(message: string, hint: string): SendctlError {
  return new SendctlError("usage", message, { hint, field: baseUrlSetting });
}

/** Returns the path of the base URL followed by the path of the request. */
export function pathOn(base: URL, path: string): string {
  return `${withoutTrailingSlashes(base.pathname)}${path}`;
}
