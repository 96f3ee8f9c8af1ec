import type { HttpResponse, LostResponse } from "../http/attempt.ts";

/** What is known of a request after it was sent. */
export interface SentRequest {
  readonly method: string;
  /** As the specification has it, without the path of a base URL. */
  readonly path: string;
}

/**
 * 4xx that a gateway answers with once it has stopped waiting: 408, and 499 for a connection that was closed. The
 * service may have done the work by then.
 */
const gatewayTimeouts: ReadonlySet<number> = new Set([408, 499]);

const reads: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function isWrite(method: string): boolean {
  return !reads.has(method);
}

/**
 * Returns whether a write may have been carried out although no response says so: none came whole, or a gateway
 * answered for a service that may have done the work, or a create came back without a record.
 */
export function isDoubtful({ method }: SentRequest, outcome: HttpResponse | LostResponse): boolean {
  if (!isWrite(method)) return false;
  if ("error" in outcome) return !outcome.unsent;
  const { status, text } = outcome;
  // No response of the service at all.
  if (status < 200) return true;
  if (status >= 500 || gatewayTimeouts.has(status)) return !isOwnRefusal(outcome);
  return method === "POST" && status >= 200 && status < 300 && parsed(text) === undefined;
}

/** Returns whether a body is the service's own refusal, an envelope with status false: specification, part 1. */
export function isOwnRefusal({ text }: HttpResponse): boolean {
  const body = parsed(text);
  return typeof body === "object" && body !== null && "status" in body && body.status === false;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
