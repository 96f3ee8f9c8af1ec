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
  readonly on: "POST" | "PUT" | "DELETE" | "GET" | "writes" | "all";
  /** 1 for the first such request. */
  readonly nth: number;
  /** Whether every nth request fails, not only the first nth one. */
  readonly repeats: boolean;
}

/** Allowed requests per window; further ones get a 429, or what `status` says. */
export interface Rate {
  readonly requests: number;
  /** Milliseconds. */
  readonly window: number;
  /** The header that says when to retry. */
  readonly header: "Retry-After" | "Retry-After date" | "X-RateLimit" | "none";
  readonly status?: 503;
}

/** Independent choices of a service where the specification is silent; first those of the plain service. */
export const choices = {
  /** Id of the first sender ID and of the first group. */
  firstId: [1n, 900_000n, 9_007_199_254_740_993n, 9_007_199_254_740_994n],
  /** Writes ids as JSON strings. */
  idsAsText: [false, true],
  /** Fractional digits of created_at. */
  fractionDigits: [6, 0, 3, 9],
  /** Adds user_id and updated_at to every record, and sender_id to groups. */
  extraFields: [false, true],
  /** Omits contacts_count from lists. */
  withoutContactsCount: [false, true],

  trims: [false, true],
  emptyIsNull: [false, true],
  /** Applies to sender IDs and to groups. */
  uniqueNames: ["none", "exact", "any case"],
  /** How the name in a path is compared. */
  lookUp: ["exact", "any case"],
  /** Which of several sender IDs with the same name a path selects. */
  namesake: ["newest", "oldest"],
  /** Also finds groups by uuid. */
  uuids: [true, false],

  put: ["keeps omitted", "resets omitted", "needs name", "needs every field"],
  nulls: ["stored", "refused"],
  /** Accepted values of the field sender_id in an update. */
  senderIdIs: ["a name or id", "a name", "an id", "any text"],

  page: ["honoured", "ignored", "refused"],
  pastTheEnd: ["empty", "refused"],
  defaultPerPage: [20, 2, 15],
  maxPerPage: [1000, 10, 50, 200],
  overMaxPerPage: ["capped", "refused"],
  order: ["descending", "ascending"],
  /** Omits total from the page object. */
  withoutTotal: [false, true],
  /** How much too low total is. */
  totalShortBy: [0, 0, 1, 7],
  /** Number of list requests after a write with the previous total and last_page. */
  totalLag: [0, 0, 1, 3],
  /** Number of list requests after its creation without a record. */
  listLag: [0, 0, 1, 3],
  /** Milliseconds that lists and fetches are behind, because they read from a copy of the database. */
  replicaLag: [0, 0, 1500, 3000],
  /** Each page starts with the last record of the page before it. */
  pagesOverlap: [false, true],

  createStatus: [201, 200],
  deleteResponse: ["envelope", "no content"],
  /** Response to a DELETE of an unknown record. */
  unknownDelete: ["refused", "done"],

  /** "always 200" sends every refusal with HTTP 200 and status false. */
  refusals: ["by status", "always 200"],
  invalidStatus: [422, 400],
  takenStatus: [409, 400, 422],
  /** For records that existed before. */
  deletedStatus: [404, 410],
  /** Where a refusal has its text. */
  refusalShape: [
    "envelope",
    "message",
    "errors by field",
    "errors list",
    "error",
    "error.message",
    "error.description",
    "detail",
    "title",
  ],
  /** Responds with a page of HTML for unknown paths and records. */
  htmlNotFound: [false, true],
  /** Redirects clients that do not accept JSON to /login. */
  redirectsBrowsers: [false, true],
} as const;

type Widened<Value> = Value extends bigint ? bigint : Value extends number ? number : Value;

type Choice = {
  readonly [Name in keyof typeof choices]: Widened<(typeof choices)[Name][number]>;
};

export interface Switches extends Choice {
  readonly failures: readonly Failure[];
  readonly rate: Rate | undefined;
}

export type RefusalShape = Switches["refusalShape"];

const first = Object.entries(choices).map(([name, [usual]]) => [name, usual] as const);

/** The most lenient service that follows the specification. */
export const plain: Switches = {
  ...(Object.fromEntries(first) as unknown as Choice),
  failures: [],
  rate: undefined,
};

/** Every third write is carried out, but a proxy responds with its own 502 page. */
export const proxyPages: Failure = {
  kind: "gateway page",
  when: "after",
  on: "writes",
  nth: 3,
  repeats: true,
};

/** Every fifth create is carried out, but its 201 has no body. */
export const emptyCreates: Failure = {
  kind: "empty response",
  when: "after",
  on: "POST",
  nth: 5,
  repeats: true,
};

export const threeVendors = {
  /** In the style of a Laravel application, with its usual middleware and validation. */
  laravel: {
    createStatus: 200,
    invalidStatus: 422,
    takenStatus: 422,
    refusalShape: "errors by field",
    htmlNotFound: true,
    uniqueNames: "any case",
    lookUp: "any case",
    senderIdIs: "an id",
    put: "needs name",
    trims: true,
    emptyIsNull: true,
    redirectsBrowsers: true,
    uuids: false,
    defaultPerPage: 15,
    maxPerPage: 100,
  },
  /** Behind a gateway that sends HTTP 200 for everything, with a lagging replica. */
  gateway: {
    createStatus: 200,
    refusals: "always 200",
    refusalShape: "message",
    page: "ignored",
    defaultPerPage: 15,
    maxPerPage: 50,
    put: "resets omitted",
    senderIdIs: "any text",
    totalLag: 2,
  },
  /** Refuses unknown input, behind a proxy that gives up early. */
  strict: {
    refusalShape: "error.description",
    invalidStatus: 400,
    deletedStatus: 410,
    uniqueNames: "exact",
    page: "refused",
    defaultPerPage: 25,
    maxPerPage: 200,
    overMaxPerPage: "refused",
    nulls: "refused",
    senderIdIs: "a name",
    failures: [proxyPages, emptyCreates],
    rate: { requests: 5, window: 1000, header: "Retry-After" },
  },
} as const satisfies Readonly<Record<string, Partial<Switches>>>;

export const vendorNames = Object.keys(threeVendors) as readonly (keyof typeof threeVendors)[];
