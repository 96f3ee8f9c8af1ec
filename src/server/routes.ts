import { operations, type Operation, type OperationName } from "../contract/operations.ts";

/** Where a request leads: to an operation with what its path names, or to a refusal. */
export type Routed =
  | { readonly name: OperationName; readonly path: Readonly<Record<string, string>> }
  | { readonly status: 400 }
  | { readonly status: 404 }
  | { readonly status: 405; readonly allow: readonly string[] };

/** Operations of one path, which has one parameter at most. */
interface Route {
  /** By method. */
  readonly names: Map<string, OperationName>;
  readonly parameter: string | undefined;
}

const parameterForm = /\{(\w+)\}/;

/** By the path with `{}` in the position of its parameter. */
const routes = new Map<string, Route>();

for (const [name, { method, path }] of Object.entries(operations) as [OperationName, Operation][]) {
  const form = path.replace(parameterForm, "{}");
  const names = routes.get(form)?.names ?? new Map<string, OperationName>();
  routes.set(form, { names: names.set(method, name), parameter: parameterForm.exec(path)?.[1] });
}

/** The segments that a parameter can be, from the end of a path. */
const parameterPositions = [
  ...new Set([...routes.keys()].filter((form) => form.includes("{}")).map(segmentsFromParameter)),
].toSorted((one, other) => one - other);

function segmentsFromParameter(form: string): number {
  return form.slice(form.indexOf("{}")).split("/").length - 1;
}

/**
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
