import { operations, type Operation, type OperationName } from "../contract/operations.ts";

/** The result of routing: an operation with its path parameter, or an error status. */
export type Routed =
  | { readonly name: OperationName; readonly path: Readonly<Record<string, string>> }
  | { readonly status: 400 }
  | { readonly status: 404 }
  | { readonly status: 405; readonly allow: readonly string[] };

/** The operations on one path. */
interface Route {
  /** By method. */
  readonly names: Map<string, OperationName>;
  /** The parameter, which is the last segment of the path. */
  readonly parameter: string | undefined;
}

/** Routes by path; those with a parameter by what precedes it, which ends with a slash. */
const routes = new Map<string, Route>();

for (const [name, { method, path }] of Object.entries(operations) as [OperationName, Operation][]) {
  const [start, parameter] = path.split(/\{(\w+)\}$/) as [string, string?];
  const names = routes.get(start)?.names ?? new Map<string, OperationName>();
  routes.set(start, { names: names.set(method, name), parameter });
}

/**
 * Routes a request.
 *
 * @param method as sent; HEAD is routed as GET
 * @param pathname as sent: percent-encoded, without the query
 */
export function routeOf(method: string, pathname: string): Routed {
  const start = pathname.lastIndexOf("/") + 1;
  if (start === pathname.length) return { status: 404 };
  const fixed = routes.get(pathname);
  if (fixed !== undefined) return byMethod(fixed, method, {});
  const route = routes.get(pathname.slice(0, start));
  if (route?.parameter === undefined) return { status: 404 };
  try {
    const value = decodeURIComponent(pathname.slice(start));
    return byMethod(route, method, { [route.parameter]: value });
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
  const head = names.has("GET") ? ["HEAD"] : [];
  return { status: 405, allow: [...names.keys(), ...head, "OPTIONS"] };
}
