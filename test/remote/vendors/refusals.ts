import { jsonResponse, type Response } from "./responses.ts";
import type { RefusalShape, Switches } from "./switches.ts";

/** The reason for a refusal. */
export interface Refusal {
  readonly kind: "invalid" | "taken" | "missing" | "deleted" | "key" | "path" | "rate" | "media";
  readonly text: string;
  /** Field of the body or query. */
  readonly field?: string;
}

/** Ends the handling of a request. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(kind: Refusal["kind"], text: string, field?: string) {
    super(text);
    this.refusal = { kind, text, ...(field === undefined ? {} : { field }) };
  }
}

/** Returns a refusal in the format of this service. */
export function refusalResponse(refusal: Refusal, switches: Switches): Response {
  const { kind, text, field = "request" } = refusal;
  if (switches.refusals === "always 200") {
    return jsonResponse(200, { status: false, ...shaped("message", text, field) });
  }
  const isNotFound = kind === "missing" || kind === "deleted" || kind === "path";
  const status = statusOf(kind, switches);
  if (isNotFound && switches.htmlNotFound) {
    const body = "<!DOCTYPE html><title>Not Found</title><h1>404 | Not Found</h1>";
    return { status, headers: { "Content-Type": "text/html; charset=utf-8" }, body };
  }
  return jsonResponse(status, shaped(switches.refusalShape, text, field));
}

function statusOf(kind: Refusal["kind"], switches: Switches): number {
  const statuses: Readonly<Record<Refusal["kind"], number>> = {
    invalid: switches.invalidStatus,
    taken: switches.takenStatus,
    missing: 404,
    deleted: switches.deletedStatus,
    key: 401,
    path: 404,
    rate: 429,
    media: 415,
  };
  return statuses[kind];
}

function shaped(shape: RefusalShape, text: string, field: string): object {
  const bodies: Readonly<Record<RefusalShape, object>> = {
    envelope: { status: false, message: text, data: null },
    message: { message: text },
    "errors by field": { message: text, errors: { [field]: [text] } },
    "errors list": { message: "The given data was invalid.", errors: [text] },
    error: { error: text },
    "error.message": { error: { message: text } },
    "error.description": { error: { code: "E_REFUSED", description: text } },
    detail: { detail: text },
    title: { title: text },
  };
  return bodies[shape];
}
