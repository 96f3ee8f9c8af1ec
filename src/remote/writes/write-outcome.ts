import { envelopeOf } from "../../contract/envelope.ts";
import { readJson } from "../../contract/text/foreign-json.ts";
import type { HttpResponse, LostResponse } from "../http/attempt.ts";

/** The parts of a request that decide whether it can be repeated. */
export interface SentRequest {
  readonly method: string;
  /** As in the specification, without the path of the base URL. */
  readonly path: string;
}

/**
 * 4xx statuses of a gateway that stopped waiting: 408, and 499 for a closed connection. The service may have done
 * the work by then.
 */
const gatewayTimeouts: ReadonlySet<number> = new Set([408, 499]);

const reads: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function isWrite(method: string): boolean {
  return !reads.has(method);
}

/**
 * Returns whether a write may have been carried out although no response confirms it: the response was incomplete
 * or came from a gateway, or a create returned no record.
 */
export function isDoubtful({ method }: SentRequest, outcome: HttpResponse | LostResponse): boolean {
  if (!isWrite(method)) return false;
  if ("error" in outcome) return !outcome.unsent;
  const { status, text } = outcome;
  // Not a final response, or one that shows where the result of the write is: RFC 9110, part 15.4.4.
  if (status < 200 || status === 303) return true;
  if (status >= 500 || gatewayTimeouts.has(status)) return !isOwnRefusal(outcome);
  return method === "POST" && status >= 200 && status < 300 && readJson(text) === undefined;
}

/** Returns whether a body is the service's own refusal, an envelope with status false: specification, part 1. */
export function isOwnRefusal({ text }: HttpResponse): boolean {
  return envelopeOf(readJson(text))?.status === false;
}
