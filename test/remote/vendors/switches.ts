/** Where a refusal puts its text. */
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

/** What the answer to a request is replaced with. */
export interface Failure {
  readonly kind:
    /** HTTP 502 with a page of HTML, from a gateway in front of the service. */
    | "gateway page"
    /** HTTP 408 with a page of HTML, from a gateway that has waited long enough. */
    | "gateway gave up"
    /** The connection is closed without a response. */
    | "connection lost"
    /** The status of a success, without a body. */
    | "empty response"
    /** HTTP 503 with an envelope whose status is false: the service's own words. Never after the work. */
    | "own refusal";
  /** Before the work nothing is stored; after it the work is done. */
  readonly when: "before" | "after";
  readonly on: "POST" | "PUT" | "DELETE" | "GET" | "writes";
  /** 1 for the first such request. */
  readonly nth: number;
  /** Again at every further nth one. */
  readonly repeats: boolean;
}

/** Requests per window; more are answered with 429. */
export interface Rate {
  readonly requests: number;
  /** Milliseconds. */
  readonly window: number;
  /** How the response says when to try again. */
  readonly header: "Retry-After" | "Retry-After date" | "X-RateLimit" | "none";
}

/** What a service does where the specification is silent, each a choice of its own. */
export interface Switches {
  /** Id of the first sender ID and of the first group. */
  readonly firstId: bigint;
  /** Writes ids as JSON strings. */
  readonly idsAsText: boolean;
  /** Digits of created_at behind the second. */
  readonly fractionDigits: 0 | 3 | 6 | 9;
  /** Adds user_id and updated_at to every record, and sender_id to groups. */
  readonly extraFields: boolean;
  /** Leaves contacts_count out of lists. */
  readonly withoutContactsCount: boolean;

  readonly trims: boolean;
  readonly emptyIsNull: boolean;
  /** Applies to sender IDs and to groups. */
  readonly uniqueNames: "none" | "exact" | "any case";
  /** How the name in a path is compared. */
  readonly lookUp: "exact" | "any case";
  /** Which of several sender IDs of one name a path means. */
  readonly namesake: "newest" | "oldest";
  /** Finds groups by uuid too. */
  readonly uuids: boolean;

  readonly put: "keeps omitted" | "resets omitted" | "needs name" | "needs every field";
  readonly nulls: "stored" | "refused";
  /** What the field sender_id of an update has to be. */
  readonly senderIdIs: "a name" | "an id" | "a name or id" | "any text";

  readonly page: "honoured" | "ignored" | "refused";
  readonly pastTheEnd: "empty" | "refused";
  readonly defaultPerPage: number;
  readonly maxPerPage: number;
  readonly overMaxPerPage: "capped" | "refused";
  readonly order: "descending" | "ascending";
  /** Leaves total out of the page object. */
  readonly withoutTotal: boolean;
  /** How far total falls short. */
  readonly totalShortBy: number;
  /** For how many list requests after a write total (and last_page) are those from before it. */
  readonly totalLag: number;
  /** For how many list requests after its creation a record is not in the list. */
  readonly listLag: number;
  /** Each page begins with the last record of the page before it. */
  readonly pagesOverlap: boolean;

  readonly createStatus: 200 | 201;
  readonly deleteResponse: "envelope" | "no content";
  /** What a DELETE of an unknown record is. */
  readonly unknownDelete: "refused" | "done";

  /** "always 200" sends every refusal with HTTP 200 and status false. */
  readonly refusals: "by status" | "always 200";
  readonly invalidStatus: 400 | 422;
  readonly takenStatus: 400 | 409 | 422;
  /** For records that existed once. */
  readonly deletedStatus: 404 | 410;
  readonly refusalShape: RefusalShape;
  /** Unknown paths and records are answered with a page of HTML. */
  readonly htmlNotFound: boolean;
  /** Clients that do not accept JSON are redirected to /login. */
  readonly redirectsBrowsers: boolean;

  readonly failures: readonly Failure[];
  readonly rate: Rate | undefined;
}

/** The friendliest service that keeps the specification. */
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
