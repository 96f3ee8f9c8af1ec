import { isObject, parseJson } from "../contract/envelope.ts";
import type { NoResponse, ProbeResponse } from "./target.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** What the response to a request shows. */
export type Outcome =
  | {
      readonly kind: "success";
      readonly status: number;
      /** The `data` of the envelope; null for a 204. */
      readonly data: unknown;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      /** The parsed body; undefined if it is not JSON. */
      readonly body: unknown;
      readonly text: string;
      readonly contentType: string;
    }
  /** A response that shows neither: a gateway's, a redirect, a success without an envelope. */
  | { readonly kind: "failed"; readonly status: number; readonly why: string }
  /** No response. */
  | {
      readonly kind: "missing";
      readonly why: string;
      readonly hint?: string | undefined;
      /** Whether the service may have carried out the request. */
      readonly mayBeDone: boolean;
    };

export type Success = Extract<Outcome, { readonly kind: "success" }>;
export type Refused = Extract<Outcome, { readonly kind: "refused" }>;

/** Statuses of gateways that stopped waiting. The service may have done the work by then. */
const gatewayTimeouts: ReadonlySet<number> = new Set([408, 499]);

/** Interprets a response. Services refuse with any 4xx, or with status false in a 2xx. */
export async function outcomeOf(response: ProbeResponse | NoResponse): Promise<Outcome> {
  if ("lost" in response) {
    const { lost, hint, unsent } = response;
    return { kind: "missing", why: lost, hint, mayBeDone: !unsent };
  }
  const { status, headers, text } = response;
  if (status === 204) return { kind: "success", status, data: null };
  const body = await parseJson(text);
  const contentType = String(headers["content-type"] ?? "");
  const refused: Refused = { kind: "refused", status, body, text, contentType };
  if (status >= 400 && status < 500 && !gatewayTimeouts.has(status)) return refused;
  if (status >= 200 && status < 300) {
    if (isObject(body) && body["status"] === false) return refused;
    if (isObject(body) && body["status"] === true && "data" in body) {
      return { kind: "success", status, data: body["data"] };
    }
    return { kind: "failed", status, why: `HTTP ${status} without an envelope` };
  }
  const what = status >= 300 && status < 400 ? `a redirect (HTTP ${status})` : `HTTP ${status}`;
  return { kind: "failed", status, why: what };
}

/** Describes an outcome that does not answer the question of an experiment. */
export function whyUnclear(outcome: Outcome): string {
  if (outcome.kind === "missing" || outcome.kind === "failed") return outcome.why;
  return outcome.kind === "refused"
    ? `the service refused it (HTTP ${outcome.status})`
    : `the service accepted it (HTTP ${outcome.status})`;
}
