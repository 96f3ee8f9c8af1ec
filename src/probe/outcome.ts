import { gatewayTimeouts } from "../contract/request.ts";
import { isObject, parseJson, readCount } from "../contract/service.ts";

/** A response, whatever it is. */
export interface ProbeResponse {
  readonly status: number;
  readonly text: string;
}

/** A request without a response. */
export interface NoResponse {
  /** One line. */
  readonly lost: string;
  readonly hint?: string | undefined;
  /** Whether the service certainly saw nothing. */
  readonly unsent: boolean;
}

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

/** Interprets a response. Services refuse with any 4xx, or with status false in a 2xx. */
export async function outcomeOf(response: ProbeResponse | NoResponse): Promise<Outcome> {
  if ("lost" in response) {
    const { lost, hint, unsent } = response;
    return { kind: "missing", why: lost, hint, mayBeDone: !unsent };
  }
  const { status, text } = response;
  if (status === 204) return { kind: "success", status, data: null };
  const body = await parseJson(text);
  const refused: Refused = { kind: "refused", status, body };
  if (status >= 400 && status < 500 && !gatewayTimeouts.has(status)) return refused;
  if (status >= 200 && status < 300) {
    if (isObject(body) && body["status"] === false) return refused;
    if (isObject(body) && body["status"] === true && "data" in body) {
      return { kind: "success", status, data: body["data"] };
    }
    return { kind: "failed", status, why: `HTTP ${status} without an envelope` };
  }
  const why = status >= 300 && status < 400 ? `a redirect (HTTP ${status})` : `HTTP ${status}`;
  return { kind: "failed", status, why };
}

/** Describes an outcome that does not answer the question of an experiment. */
export function explainInconclusive(outcome: Outcome): string {
  if (outcome.kind === "missing" || outcome.kind === "failed") return outcome.why;
  const verb = outcome.kind === "refused" ? "refused" : "accepted";
  return `the service ${verb} it (HTTP ${outcome.status})`;
}

export const groupList = "/v1/group";
export const senderIdList = "/v1/sender-id";

/** Returns the path of a group. @param key its id or uuid */
export function groupPath(key: string): string {
  return `${groupList}/${encodeURIComponent(key)}`;
}

/** A page as a service sent it. Fields that are missing or not whole numbers are undefined. */
export type ListPage = NonNullable<ReturnType<typeof listPageOf>>;

/** Reads a page; undefined if the outcome is not a list of records. */
export function listPageOf(outcome: Outcome) {
  if (outcome.kind !== "success" || !isObject(outcome.data)) return undefined;
  const { data: records, current_page, last_page, per_page, total } = outcome.data;
  if (!Array.isArray(records) || !records.every(isObject)) return undefined;
  return {
    records,
    current: readCount(current_page),
    last: readCount(last_page),
    perPage: readCount(per_page),
    total: readCount(total),
  };
}

/** Returns the id of a record as text, whatever its JSON type; undefined if it has none. */
export function idOf({ id }: Fields): string | undefined {
  if (typeof id === "string") return id === "" ? undefined : id;
  return typeof id === "bigint" || Number.isSafeInteger(id) ? String(id) : undefined;
}
