/** Formats of the text in a refusal. */
export const refusalShapes = [
  "envelope",
  "message",
  "errors by field",
  "errors list",
  "error",
  "error.message",
  "error.description",
  "detail",
  "title",
] as const;

export type RefusalShape = (typeof refusalShapes)[number];

/** A failure that replaces the response to a request. */
export interface Failure {
  readonly kind:
    /** HTTP 502 with a page of HTML, from a gateway in front of the service. */
    | "gateway page"
    /** HTTP 408 with a page of HTML, from a gateway that stopped waiting. */
    | "gateway gave up"
    /** The connection is closed without a response. */
    | "connection lost"
    /** A success status without a body. */
    | "empty response"
    /** HTTP 503 with an envelope with status false, from the service itself. Never after the work. */
    | "own refusal";
  /** Whether the request is dropped before the work, or carried out first. */
  readonly when: "before" | "after";
  readonly on: "POST" | "PUT" | "DELETE" | "GET" | "writes";
  /** 1 for the first such request. */
  readonly nth: number;
  /** Whether every nth request fails, not only the first nth one. */
  readonly repeats: boolean;
}

/** Allowed requests per window; further ones get a 429. */
export interface Rate {
  readonly requests: number;
  /** Milliseconds. */
  readonly window: number;
  /** The header that says when to retry. */
  readonly header: "Retry-After" | "Retry-After date" | "X-RateLimit" | "none";
}

/** Independent choices of a service where the specification is silent. */
export interface Switches {
  /** Id of the first sender ID and of the first group. */
  readonly firstId: bigint;
  /** Writes ids as JSON strings. */
  readonly idsAsText: boolean;
  /** Fractional digits of created_at. */
  readonly fractionDigits: 0 | 3 | 6 | 9;
  /** Adds user_id and updated_at to every record, and sender_id to groups. */
  readonly extraFields: boolean;
  /** Omits contacts_count from lists. */
  readonly withoutContactsCount: boolean;

  readonly trims: boolean;
  readonly emptyIsNull: boolean;
  /** Applies to sender IDs and to groups. */
  readonly uniqueNames: "none" | "exact" | "any case";
  /** How the name in a path is compared. */
  readonly lookUp: "exact" | "any case";
  /** Which of several sender IDs with the same name a path selects. */
  readonly namesake: "newest" | "oldest";
  /** Also finds groups by uuid. */
  readonly uuids: boolean;

  readonly put: "keeps omitted" | "resets omitted" | "needs name" | "needs every field";
  readonly nulls: "stored" | "refused";
  /** Accepted values of the field sender_id in an update. */
  readonly senderIdIs: "a name" | "an id" | "a name or id" | "any text";

  readonly page: "honoured" | "ignored" | "refused";
  readonly pastTheEnd: "empty" | "refused";
  readonly defaultPerPage: number;
  readonly maxPerPage: number;
  readonly overMaxPerPage: "capped" | "refused";
  readonly order: "descending" | "ascending";
  /** Omits total from the page object. */
  readonly withoutTotal: boolean;
  /** How much too low total is. */
  readonly totalShortBy: number;
  /** Number of list requests after a write with the previous total and last_page. */
  readonly totalLag: number;
  /** Number of list requests after its creation without a record. */
  readonly listLag: number;
  /** Each page starts with the last record of the page before it. */
  readonly pagesOverlap: boolean;

  readonly createStatus: 200 | 201;
  readonly deleteResponse: "envelope" | "no content";
  /** Response to a DELETE of an unknown record. */
  readonly unknownDelete: "refused" | "done";

  /** "always 200" sends every refusal with HTTP 200 and status false. */
  readonly refusals: "by status" | "always 200";
  readonly invalidStatus: 400 | 422;
  readonly takenStatus: 400 | 409 | 422;
  /** For records that existed before. */
  readonly deletedStatus: 404 | 410;
  readonly refusalShape: RefusalShape;
  /** Responds with a page of HTML for unknown paths and records. */
  readonly htmlNotFound: boolean;
  /** Redirects clients that do not accept JSON to /login. */
  readonly redirectsBrowsers: boolean;

  readonly failures: readonly Failure[];
  readonly rate: Rate | undefined;
}

/** The most lenient service that follows the specification. */
export const plain: Switches = {
  firstId: 1n,
  idsAsText: false,
  fractionDigits: 6,
  extraFields: false,
  withoutContactsCount: false,
  trims: false,
  emptyIsNull: false,
  uniqueNames: "none",
  lookUp: "exact",
  namesake: "newest",
  uuids: true,
  put: "keeps omitted",
  nulls: "stored",
  senderIdIs: "a name or id",
  page: "honoured",
  pastTheEnd: "empty",
  defaultPerPage: 20,
  maxPerPage: 1000,
  overMaxPerPage: "capped",
  order: "descending",
  withoutTotal: false,
  totalShortBy: 0,
  totalLag: 0,
  listLag: 0,
  pagesOverlap: false,
  createStatus: 201,
  deleteResponse: "envelope",
  unknownDelete: "refused",
  refusals: "by status",
  invalidStatus: 422,
  takenStatus: 409,
  deletedStatus: 404,
  refusalShape: "envelope",
  htmlNotFound: false,
  redirectsBrowsers: false,
  failures: [],
  rate: undefined,
};
