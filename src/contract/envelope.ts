import type { Envelope } from "./records.ts";

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the envelope of a body. A refusal may lack `message` and `data`; its status is enough. */
export function envelopeOf(body: unknown): Envelope | undefined {
  if (!isObject(body) || typeof body["status"] !== "boolean") return undefined;
  const { status, message, data } = body;
  if (!status) {
    return {
      ...body,
      status,
      message: typeof message === "string" ? message : "",
      data: data ?? null,
    };
  }
  return typeof message === "string" && "data" in body
    ? { ...body, status, message, data }
    : undefined;
}
