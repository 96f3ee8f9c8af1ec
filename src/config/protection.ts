import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { databaseUrl } from "./database.ts";
import type { Config, Protection } from "./profiles.ts";
import { normalized, type Target } from "./target.ts";

/** A service or database, as an option, a variable, a profile or the config file names it. */
type Place = Pick<Target, "baseUrl" | "database" | "databaseUrl">;

/** Returns a text that is the same for every name of a service or database; the config file has its protection by it. */
export function protectedKey({ baseUrl, database, databaseUrl: address }: Place): string {
  if (baseUrl !== undefined) {
    if (!URL.canParse(baseUrl)) return baseUrl;
    const url = new URL(baseUrl);
    url.hostname = hostName(url.hostname);
    return normalized(url.href);
  }
  if (address === undefined) return realPath(database);
  const { hostname, port, pathname, username, searchParams: query } = new URL(address.shown);
  const host = decodeURIComponent(hostname) || query.get("host") || "localhost";
  const name = pathname.slice(1) || username || query.get("user");
  const at = `${hostName(host.toLowerCase())}:${port || query.get("port") || "5432"}`;
  return `postgres://${at}/${name}?schema=${query.get("schema") ?? "sendctl"}`;
}

/** Returns the name of a host, which is localhost for its usual addresses, too. */
function hostName(given: string): string {
  const host = given.replace(/\.$/, "");
  return ["127.0.0.1", "[::1]", "::1"].includes(host) ? "localhost" : host;
}

/** Returns the path of a file, which need not exist, without links. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return dirname(file) === file ? file : join(realPath(dirname(file)), basename(file));
  }
}

/** Returns the protections of a target, however the config file names it. */
export function protectionsAt(
  place: Place,
  { protections }: Pick<Config, "protections">,
): readonly (readonly [key: string, protection: Protection])[] {
  if (protections.size === 0) return [];
  const key = protectedKey(place);
  return [...protections].filter(([name]) => {
    const baseUrl = /^https?:/i.test(name) ? name : undefined;
    const address = baseUrl === undefined ? databaseUrl(name, "protected") : undefined;
    return protectedKey({ baseUrl, database: name, databaseUrl: address }) === key;
  });
}

/** Returns the protections of the chosen service or database, and of the database that `local` commands work on. */
export function protectionsOf(
  target: Place,
  config: Config,
): { readonly service?: Protection | undefined; readonly database?: Protection | undefined } {
  const of = (place: Place): Protection | undefined => {
    const found = protectionsAt(place, config).map(([, protection]) => protection);
    return found.find(({ level }) => level === "read-only") ?? found[0];
  };
  return { service: of(target), database: of({ ...target, baseUrl: undefined }) };
}
