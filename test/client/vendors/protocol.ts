import type { IncomingHttpHeaders } from "node:http";

const fields: Readonly<Record<string, readonly string[]>> = {
  "POST /v1/sender-id": ["name", "purpose"],
  "POST /v1/group": ["name", "send_birthday", "birthday_message"],
  "PUT /v1/group": ["name", "send_birthday", "send_holiday", "birthday_message", "sender_id"],
};

interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Returns how a request violates the interface in docs/behaviour.md; empty if it does not. */
export function violationsOf({ method, path, headers, text }: Arrived): string[] {
  const type = headers["content-type"];
  const hasBody = method === "POST" || method === "PUT";
  const accept = headers.accept;
  return [
    ...(method === "DELETE" && type !== undefined ? ["a DELETE with Content-Type"] : []),
    ...(method !== "DELETE" && type !== "application/json" ? [`Content-Type ${type}`] : []),
    ...(!hasBody && text !== "" ? [`a ${method} with a body`] : []),
    ...(hasBody ? bodyViolations(method, path, text) : []),
    ...(accept === "application/json" ? [] : [`Accept ${accept}`]),
  ].map((what) => `${method} ${path}: ${what}`);
}

function bodyViolations(method: string, path: string, text: string): string[] {
  const body = objectOf(text);
  if (body === undefined) return ["a body that is not one JSON object"];
  const resource = path.split("/").slice(0, 3).join("/");
  const known = fields[`${method} ${resource}`] ?? [];
  return Object.entries(body).flatMap(([field, value]) => {
    const type = field.startsWith("send_") ? "boolean" : "string";
    if (!known.includes(field)) return [`an unknown field ${field}`];
    // Only an update can clear a field: the specification shows null for all fields except the name.
    if (value === null) return method === "PUT" && field !== "name" ? [] : [`${field} is null`];
    return typeof value === type ? [] : [`${field} is not a ${type}`];
  });
}

/** Parses a body as one JSON object; undefined if it is anything else. */
export function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
