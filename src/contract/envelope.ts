import type { Envelope } from "./records.ts";
import { hasLongNumber, readJson } from "../core/foreign-json.ts";

/**
 * Parses JSON from outside, with integers too long for a double as BigInt, so that no digits are lost. Returns
 * undefined for text that is not JSON or exceeds the limits.
 */
export async function parseJson(text: string): Promise<unknown> {
  const value = readJson(text);
  if (value === undefined || !hasLongNumber(text)) return value;
  try {
    const { isSafeNumber, parse: parseLossless } = await import("lossless-json");
    return parseLossless(text, undefined, {
      parseNumber: (digits) =>
        isSafeNumber(digits) || !/^-?\d+$/.test(digits) ? Number(digits) : BigInt(digits),
    });
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a boolean, which a service may write as 1 or 0, like its database; undefined for any other value. */
export function readBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 1) return true;
  return value === false || value === 0 ? false : undefined;
}

/** Returns the envelope of a body. A refusal may lack `message` and `data`; its status is enough. */
export function envelopeOf(body: unknown): Envelope | undefined {
  if (!isObject(body)) return undefined;
  const { message, data } = body;
  const status = readBoolean(body["status"]);
  if (status === undefined) return undefined;
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
