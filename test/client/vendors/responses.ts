import { stringify } from "lossless-json";
import type { Group, SenderId } from "./records.ts";
import type { Failure, Rate, RefusalShape, Switches } from "./switches.ts";

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const html = { "Content-Type": "text/html; charset=utf-8" };

/** Returns a JSON response. @param body may contain bigints, which keep all digits */
function jsonResponse(status: number, body: object): Response {
  return { status, headers: { "Content-Type": "application/json" }, body: stringify(body)! };
}

/** Returns the envelope of a success: "The interface" in docs/behaviour.md. */
export function success(status: number, message: string, data: object | null): Response {
  return jsonResponse(status, { status: true, message, data });
}

/** Returns a record as responses show it. */
export function shown(row: SenderId | Group, switches: Switches, isInList = false): object {
  const { id, created, ...rest } = row;
  const own: Record<string, unknown> = { id: switches.idsAsText ? String(id) : id, ...rest };
  if ("contacts" in row) {
    delete own["contacts"];
    if (isInList && !switches.withoutContactsCount) own["contacts_count"] = row.contacts;
    if (!switches.extraFields) delete own["sender_id"];
  }
  const created_at = createdAt(created, switches);
  const extra = switches.extraFields ? { user_id: 7, updated_at: created_at } : {};
  return { ...own, created_at, ...extra };
}

/** @param created milliseconds since 1970 */
function createdAt(created: number, { fractionDigits }: Switches): string {
  const [seconds, milliseconds = ""] = new Date(created).toISOString().slice(0, -1).split(".");
  const fraction = `${milliseconds}456789`.slice(0, fractionDigits);
  return `${seconds}${fraction === "" ? "" : `.${fraction}`}Z`;
}

type Reason = "invalid" | "taken" | "missing" | "deleted" | "key" | "rate" | "media";

/** Ends the handling of a request. */
export class Refusal extends Error {
  readonly reason: Reason;
  /** Field of the body or query. */
  readonly field: string;

  constructor(reason: Reason, text: string, field = "request") {
    super(text);
    this.reason = reason;
    this.field = field;
  }
}

/** Returns a refusal in the format of this service. */
export function refusalResponse(refusal: Refusal, switches: Switches): Response {
  const { reason, message, field } = refusal;
  const { invalidStatus: invalid, takenStatus: taken, deletedStatus: deleted } = switches;
  const statuses = { invalid, taken, missing: 404, deleted, key: 401, rate: 429, media: 415 };
  if (switches.refusals === "always 200") return jsonResponse(200, { status: false, message });
  if (switches.htmlNotFound && (reason === "missing" || reason === "deleted")) {
    const body = "<!DOCTYPE html><title>Not Found</title><h1>404 | Not Found</h1>";
    return { status: statuses[reason], headers: html, body };
  }
  return jsonResponse(statuses[reason], shaped(message, field)[switches.refusalShape]);
}

function shaped(text: string, field: string): Readonly<Record<RefusalShape, object>> {
  return {
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
}

const maintenance = { status: false, message: "Down for maintenance", data: null };

/** Returns the response of a failure; undefined if the connection is closed. */
export function failedResponse({ kind }: Failure, status: number): Response | undefined {
  const responses: Readonly<Record<Failure["kind"], Response | undefined>> = {
    "connection lost": undefined,
    "empty response": { status, headers: {}, body: "" },
    "gateway page": { status: 502, headers: html, body: "<html><h1>502 Bad Gateway</h1></html>" },
    "gateway gave up": { status: 408, headers: html, body: "<html><h1>408</h1></html>" },
    "own refusal": jsonResponse(503, maintenance),
  };
  return responses[kind];
}

/** Returns the headers of a 429. @param end of the window, like `now` in milliseconds since 1970 */
export function limitHeaders({ header, requests }: Rate, end: number, now: number) {
  const endSecond = Math.ceil(end / 1000);
  const headers: Readonly<Record<Rate["header"], Response["headers"]>> = {
    none: {},
    "Retry-After": { "Retry-After": String(Math.ceil((end - now) / 1000)) },
    "Retry-After date": { "Retry-After": new Date(endSecond * 1000).toUTCString() },
    "X-RateLimit": {
      "X-RateLimit-Limit": String(requests),
      "X-RateLimit-Remaining": "0",
      "X-RateLimit-Reset": String(endSecond),
    },
  };
  return headers[header];
}
