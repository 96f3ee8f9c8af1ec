import { operations, type OperationName } from "../contract/operations.ts";
import {
  type Envelope,
  envelopeOf,
  isObject,
  parseJson,
  readBoolean,
} from "../contract/envelope.ts";
import type { Reply } from "../contract/service.ts";
import { SendctlError } from "../core/error.ts";
import { excessOf, readJson } from "../core/json-text.ts";
import type { HttpResponse } from "./http/attempt.ts";
import { requestedWait } from "./http/retry.ts";
import { refusalIn } from "./refusals.ts";
import type { RemoteOptions } from "./options.ts";
import { readData } from "./read-data.ts";
import { redirected } from "./http/explain.ts";

/** The service whose responses are decoded. */
type Decoding = Pick<RemoteOptions, "base" | "now" | "behaviour">;

/**
 * Decodes a response into a Reply: always its text, and its envelope if the text is one, or a refusal in another form.
 *
 * @throws SendctlError "unexpected_response" for a redirect
 */
export async function decode(response: HttpResponse, decoding: Decoding): Promise<Reply> {
  const { status, text } = response;
  if (status >= 300 && status < 400) throw redirected(response, decoding.base);
  const body = await parseJson(text);
  const wait = status < 400 ? undefined : requestedWait(response, decoding.now());
  const isAccepted = status >= 200 && status < 300;
  return {
    status,
    text,
    envelope: envelopeOf(body) ?? (isAccepted ? refusalIn(body, decoding.behaviour) : undefined),
    ...(wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1000) }),
  };
}

/**
 * Decodes the response to an operation, checks the shape of a success, and reads its data with the types of the
 * specification. The text stays as the service sent it.
 *
 * @throws SendctlError "unexpected_response" for a redirect, or a 2xx that does not match the specification
 */
export async function decodeOperation(
  name: OperationName,
  response: HttpResponse,
  decoding: Decoding,
): Promise<Reply> {
  const reply = await decode(response, decoding);
  const { status, text } = reply;
  const envelope = reply.envelope ?? acknowledgement(name, text);
  if (status < 200 || status >= 300 || envelope?.status === false) return reply;
  const read =
    envelope === undefined ? { problem: envelopeProblem(text) } : readData(name, envelope.data);
  if ("problem" in read) {
    throw new SendctlError(
      "unexpected_response",
      `unexpected response from ${decoding.base.host} (HTTP ${status}): ${read.problem}`,
      { httpStatus: status },
    );
  }
  const shown = { ...envelope!, data: read.data };
  return { ...reply, text: text.trim() === "" ? JSON.stringify(shown) : text, envelope: shown };
}

/** Returns which field keeps a body from being the envelope of a success. */
function envelopeProblem(text: string): string {
  const body = readJson(text);
  if (!isObject(body)) return excessOf(text) ?? "not a JSON object";
  if (readBoolean(body["status"]) === undefined) return "`status` is not true or false";
  return typeof body["message"] === "string" ? "`data` is missing" : "`message` is not text";
}

/**
 * Returns the envelope of a delete or an update that was accepted with less than an envelope: status true alone, or no
 * body at all.
 */
function acknowledgement(name: OperationName, text: string): Envelope | undefined {
  const { method, message } = operations[name];
  if (method !== "DELETE" && method !== "PUT") return undefined;
  const body = text.trim() === "" ? { status: true } : readJson(text);
  if (!isObject(body) || readBoolean(body["status"]) !== true) return undefined;
  const said = body["message"];
  return {
    status: true,
    message: typeof said === "string" ? said : message,
    data: body["data"] ?? null,
  };
}
