import { isObject } from "../contract/envelope.ts";
import { type Fields, type Refused } from "./outcome.ts";

/** Bodies that are not JSON objects. */
const plainShapes: ReadonlySet<string> = new Set(["HTML", "an empty body", "text"]);

export function isPlainShape(shape: string): boolean {
  return plainShapes.has(shape);
}

/** Returns the value of the switch error_body that describes a refusal, or a description of its body. */
export function bodyShape({ body, text, contentType, status }: Refused): string {
  if (!isObject(body)) {
    if (text.trim() === "") return "an empty body";
    return text.trimStart().startsWith("<") ? "HTML" : "text";
  }
  if (body["status"] === false && "data" in body && typeof body["message"] === "string") {
    return hasOnly(body, ["status", "message", "data", "errors"]) ? "envelope" : keysOf(body);
  }
  // A refusal with HTTP 200 needs a status false, whatever else it has.
  const { status: flag, ...rest } = body;
  return shapeOf(flag === false && status < 300 ? rest : body, contentType) ?? keysOf(body);
}

function shapeOf(body: Fields, contentType: string): string | undefined {
  const { message, errors, error } = body;
  if (/\bproblem\+json\b/.test(contentType)) return "problem";
  if (typeof body["title"] === "string" && typeof body["status"] === "number") return "problem";
  // With HTTP 200, the status of problem details gives way to the flag.
  if (typeof body["type"] === "string" && typeof body["detail"] === "string") return "problem";
  if (typeof message === "string" && hasOnly(body, ["message", "errors"])) {
    if (errors === undefined) return "message";
    return isObject(errors) ? "errors_by_field" : undefined;
  }
  if (typeof error === "string" && hasOnly(body, ["error"])) return "error";
  if (isObject(error) && typeof error["message"] === "string" && hasOnly(body, ["error"])) {
    return hasOnly(error, ["message"]) ? "error_message" : undefined;
  }
  return undefined;
}

function hasOnly(body: Fields, names: readonly string[]): boolean {
  return Object.keys(body).every((name) => names.includes(name));
}

const maxKeys = 6;

/** Describes an object by its keys: `{error: {code, description}}`. */
function keysOf(body: Fields, depth = 0): string {
  const keys = Object.entries(body).map(([name, value]) => {
    const key = name.slice(0, 30);
    return isObject(value) && depth === 0 ? `${key}: ${keysOf(value, 1)}` : key;
  });
  const more = keys.length > maxKeys ? ", …" : "";
  return `{${keys.slice(0, maxKeys).join(", ")}${more}}`;
}
