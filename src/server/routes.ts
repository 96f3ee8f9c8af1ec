import { operations, type Operation, type OperationName } from "../contract/operations.ts";

/** The result of routing: an operation with its path parameter, or an error status. */
export type Routed =
  | { readonly name: OperationName; readonly path: Readonly<Record<string, string>> }
  | { readonly status: 400 }
  | { readonly status: 404 }
  | { readonly status: 405; readonly allow: readonly string[] };

/** The operations on one path, which has at most one parameter. */
interface Route {
  /** By method. */
  readonly names: Map<string, OperationName>;
  readonly parameter: string | undefined;
}

const parameterForm = /\{(\w+)\}/;

/** Routes by path, with `{}` in place of the parameter. */
const routes = new Map<string, Route>();

for (const [name, { method, path }] of Object.entries(operations) as [OperationName, Operation][]) {
  const form = path.replace(parameterForm, "{}");
  const names = routes.get(form)?.names ?? new Map<string, OperationName>();
  routes.set(form, { names: names.set(method, name), parameter: parameterForm.exec(path)?.[1] });
}

/** Positions of parameters, in segments from the end of a path. */
const parameterPositions = [
  ...new Set([...routes.keys()].filter((form) => form.includes("{}")).map(segmentsFromParameter)),
].toSorted((one, other) => one - other);

function segmentsFromParameter(form: string): number {
  return form.slice(form.indexOf("{}")).split("/").length - 1;
}

/**
 * Routes a request.
 *
 * @param method as sent; HEAD is routed as GET
 * @param pathname as sent: percent-encoded, without the query
 */
export function routeOf(method: string, pathname: string): Routed {
  const fixed = routes.get(pathname);
  if (fixed !== undefined && fixed.parameter === undefined) return byMethod(fixed, method, {});
  for (const position of parameterPositions) {
    let end = pathname.length;
    for (let after = position; after > 0; after -= 1) end = pathname.lastIndexOf("/", end - 1);
    const start = pathname.lastIndexOf("/", end - 1) + 1;
    const route = routes.get(`${pathname.slice(0, start)}{}${pathname.slice(end)}`);
    if (route === undefined || start >= end) continue;
    try {
      const value = decodeURIComponent(pathname.slice(start, end));
      return byMethod(route, method, { [route.parameter!]: value });
    } catch {
      return { status: 400 };
    }
  }
  return { status: 404 };
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
