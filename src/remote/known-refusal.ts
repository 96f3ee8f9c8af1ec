import type { PartialBehaviour } from "../contract/behaviour.ts";
import type { Reply } from "../contract/service.ts";
import type { HttpResponse } from "./http/attempt.ts";

type Body = Readonly<Record<string, unknown>>;

/** Returns the message of a refusal in each form of a body; undefined for any other body (ruling 2). */
const messages: Readonly<
  Record<NonNullable<PartialBehaviour["error_body"]>, (body: Body) => unknown>
> = {
  // Recognized without any knowledge of the service.
  envelope: () => undefined,
  message: ({ message }) => message,
  errors_by_field: ({ message }) => message,
  error: ({ error }) => error,
  error_message: ({ error }) => (isObject(error) ? error["message"] : undefined),
  problem: ({ title, detail }) => detail ?? title,
};

/**
 * Returns the refusal in a response with status 200, if the service is known to refuse so and the body has the known
 * form; undefined for any other response.
 */
export function knownRefusal(
  { status, text }: HttpResponse,
  { error_status, error_body = "envelope" }: PartialBehaviour,
): Reply | undefined {
  if (error_status !== "always_200" || status !== 200 || error_body === "envelope") {
    return undefined;
  }
  const body = parsed(text);
  if (!isObject(body) || typeof body["status"] === "boolean") return undefined;
  const message = messages[error_body](body);
  if (typeof message !== "string") return undefined;
  return { status, text, envelope: { ...body, status: false, message, data: null } };
}

function isObject(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
