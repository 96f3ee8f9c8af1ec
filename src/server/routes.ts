import { operations, type Operation, type OperationName } from "../contract/operations.ts";

/** Where a request leads: to an operation with what its path names, or to a refusal. */
export type Routed =
  | { readonly name: OperationName; readonly path: Readonly<Record<string, string>> }
  | { readonly status: 400 }
  | { readonly status: 404 }
  | { readonly status: 405; readonly allow: readonly string[] };

interface Route {
  /** By method. */
  readonly names: Map<string, OperationName>;
  /** Of the last segment, where it is one. */
  readonly parameter: string | undefined;
}

/** By the path without its parameter: each has at most one, and at its end. */
const routes = new Map<string, { collection?: Route; record?: Route }>();

for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
  const [, prefix, parameter] = /^(.*?)(?:\/\{(\w+)\})?$/.exec(operation.path)!;
  const entry = routes.get(prefix!) ?? {};
  const kind = parameter === undefined ? "collection" : "record";
  const route = entry[kind] ?? { names: new Map<string, OperationName>(), parameter };
  route.names.set(operation.method, name);
  routes.set(prefix!, { ...entry, [kind]: route });
}

/**
 * @param method as sent; HEAD is routed as GET
 * @param pathname as sent: percent-encoded, without the query
 */
export function routeOf(method: string, pathname: string): Routed {
  const collection = routes.get(pathname)?.collection;
  if (collection !== undefined) return byMethod(collection, method, {});
  const slash = pathname.lastIndexOf("/");
  const record = routes.get(pathname.slice(0, slash))?.record;
  const segment = pathname.slice(slash + 1);
  if (record === undefined || segment === "") return { status: 404 };
  try {
    return byMethod(record, method, { [record.parameter!]: decodeURIComponent(segment) });
  } catch {
    return { status: 400 };
  }
}

function byMethod(
  { names }: Route,
  method: string,
  path: Readonly<Record<string, string>>,
): Routed {
  const name = names.get(method === "HEAD" ? "GET" : method);
  if (name !== undefined) return { name, path };
  const methods = [...names.keys()];
  const allow = methods.includes("GET") ? [...methods, "HEAD", "OPTIONS"] : [...methods, "OPTIONS"];
  return { status: 405, allow };
}
