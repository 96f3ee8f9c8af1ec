import { isObject } from "../contract/envelope.ts";
import { errorObject } from "../contract/error.ts";
import type { Reply } from "../contract/service.ts";
import { readJson } from "../contract/text/foreign-json.ts";
import { kindOfReply } from "./exit-codes.ts";
import { refusalMessage } from "./refusal.ts";

/** Parses a JSON object from outside; undefined for any other text. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}

/**
 * Returns the envelope of a refusal: the body of the service, byte for byte, plus an `error` object if it has none.
 *
 * @param data value of `data` if the body is not an object
 */
export function refusalEnvelope(reply: Reply, data: string | null = null): string {
  const { status, text } = reply;
  const message = refusalMessage(reply);
  const kind = kindOfReply(reply) ?? "invalid";
  const error = errorObject({ kind, message, httpStatus: status, hint: reply.hint });
  const body = jsonObject(text);
  if (body === undefined) return JSON.stringify({ status: false, message, data, error });
  if (Object.hasOwn(body, "error")) return text;
  // Inserted as text: parsing would lose long numbers, repeated fields and their order.
  const end = text.lastIndexOf("}");
  const comma = Object.keys(body).length === 0 ? "" : ",";
  return `${text.slice(0, end)}${comma}"error":${JSON.stringify(error)}${text.slice(end)}`;
}
