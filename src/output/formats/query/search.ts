import jmespath from "jmespath";
import { SendctlError } from "../../../contract/error.ts";

/** Checks a JMESPath expression. @throws SendctlError "usage" if it is invalid */
export function compileQuery(expression: string): void {
  try {
    jmespath.compile(expression);
  } catch (error) {
    throw new SendctlError(
      "usage",
      `invalid expression "${expression}" for --query: ${reason(error)}`,
      {
        hint: "see https://jmespath.org/specification.html",
        setting: "--query",
      },
    );
  }
}

/**
 * Evaluates a JMESPath expression.
 *
 * @throws SendctlError "usage" if the expression does not apply to the value, such as the length of a number
 */
export function searchWith(expression: string, value: unknown): unknown {
  try {
    return jmespath.search(value, expression) ?? null;
  } catch (error) {
    throw new SendctlError("usage", `--query cannot be evaluated: ${reason(error)}`, {
      hint: "the request itself succeeded; print its response without --query",
      setting: "--query",
    });
  }
}

function reason(error: unknown): string {
  return (error as Error).message.replace(/^(?:\w*Error: )+/, "");
}

/**
 * Returns a copy whose objects have no prototype. In objects with one, the library would find `constructor`.
 */
export function ownFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ownFields);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) copy[name] = ownFields(field);
  return copy;
}
