import { hasLongNumber, readJson } from "../core/json-text.ts";
import type { RecordOf, groupFields, pageFields, senderIdFields } from "./resources.ts";

/**
 * Responses of the service (specification, parts 1 and 2). A remote service may send further fields, which are
 * printed but never relied on.
 */

/** A response of the service, or the result of a command that is not one of its operations. */
export interface Envelope<Data = unknown> {
  readonly status: boolean;
  readonly message: string;
  readonly data: Data;
  /** Errors by field (ruling 2). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** The `data` of a list response. Pages are numbered from 1. */
export interface Page<Item> extends RecordOf<typeof pageFields> {
  readonly data: readonly Item[];
  /** Set if the service does not say how many records it has: there are at least `total`. */
  readonly isTotalAtLeast?: true | undefined;
}

export interface SenderId extends RecordOf<typeof senderIdFields> {}

/** Only list responses have `contacts_count`. */
export interface Group extends RecordOf<typeof groupFields> {}

/** Returns a list as a single page. */
export function onePage<Item>(data: readonly Item[]): Page<Item> {
  return { data, ...onePageNumbers(data.length) };
}

/** Returns the numbers of a list on a single page. */
export function onePageNumbers(count: number): Omit<Page<never>, "data"> {
  return { current_page: 1, last_page: 1, per_page: count, total: count };
}

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
  const isText = typeof message === "string";
  const status = readBoolean(body["status"]);
  if (status === false)
    return { ...body, status, message: isText ? message : "", data: data ?? null };
  return status && isText && "data" in body ? { ...body, status, message, data } : undefined;
}
