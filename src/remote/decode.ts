import { operations, type OperationName } from "../contract/operations.ts";
import { envelopeOf, isObject, parseJson } from "../contract/envelope.ts";
import { pageFields } from "../contract/resources.ts";
import type { Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { excessOf } from "../contract/text/foreign-json.ts";
import type { HttpResponse } from "./http/attempt.ts";
import { requestedWait } from "./http/rate-headers.ts";

/**
 * Decodes a response into a Reply: always its text, and its envelope if the text is one.
 *
 * @param host the host that responded, for error messages
 * @param now milliseconds since 1970
 * @throws SendctlError "unexpected_response" for a redirect
 */
export async function decode(response: HttpResponse, host: string, now: number): Promise<Reply> {
  const { status, text } = response;
  if (status >= 300 && status < 400) throw redirected(response, host);
  const body = await parseJson(text);
  const wait = status < 400 ? undefined : requestedWait(response, now);
  return {
    status,
    text,
    envelope: envelopeOf(body),
    ...(wait === undefined ? {} : { retryAfter: Math.ceil(wait / 1000) }),
  };
}

/**
 * Decodes the response to an operation, and checks the shape of a success.
 *
 * @param host the host that responded, for error messages
 * @param now milliseconds since 1970
 * @throws SendctlError "unexpected_response" for a redirect, or a 2xx that does not match the specification
 */
export async function decodeOperation(
  name: OperationName,
  response: HttpResponse,
  host: string,
  now: number,
): Promise<Reply> {
  const reply = await decode(response, host, now);
  const { status, envelope } = reply;
  if (status < 200 || status >= 300 || envelope?.status === false) return reply;
  const problem =
    envelope === undefined
      ? (excessOf(reply.text) ?? "not an envelope")
      : shapeProblem(name, envelope.data);
  if (problem !== undefined) {
    throw new SendctlError(
      "unexpected_response",
      `unexpected response from ${host} (HTTP ${status}): ${problem}`,
      { httpStatus: status },
    );
  }
  return reply;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function shapeProblem(name: OperationName, data: unknown): string | undefined {
  const { returns } = operations[name];
  if (returns === "nothing") return undefined;
  if (!isObject(data)) return "`data` is not an object";
  if (returns === "record") return undefined;
  if (!Array.isArray(data["data"]) || !data["data"].every(isObject))
    return "`data.data` is not a list of records";
  const missing = Object.keys(pageFields).find((field) => !isCount(data[field]));
  return missing === undefined ? undefined : `\`data.${missing}\` is not a number`;
}

/** Redirects are not followed: the other host may not belong to the service, and must not get the key. */
function redirected({ status, headers }: HttpResponse, host: string): SendctlError {
  // A base URL excludes the paths of the service.
  const target = headers.location?.replace(/\/v1\/.*$/s, "");
  const where = target === undefined ? "" : ` to ${target}`;
  return new SendctlError(
    "unexpected_response",
    `${host} redirects${where} (HTTP ${status}); redirects are not followed`,
    {
      httpStatus: status,
      ...(target === undefined ? {} : { hint: `if you trust it, pass --base-url ${target}` }),
    },
  );
}
