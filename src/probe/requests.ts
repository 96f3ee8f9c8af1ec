import { gatewayTimeouts, type Request } from "../contract/request.ts";
import { isObject, parseJson, readCount, type ShownRecord } from "../contract/service.ts";
import { stoppedBy } from "../core/error.ts";

/** The service to probe. Only a second signal ends writes and the cleanup. */
export interface ProbeTarget {
  /**
   * Sends a request, and repeats it as the client does: never if it could do something twice.
   *
   * @throws Unknown without a response; SendctlError "cancelled" or "terminated" if the first
   *   signal ends a read
   */
  readonly send: (request: Request) => Promise<{ readonly status: number; readonly text: string }>;
  /** Reads the list of groups to its end. @throws SendctlError */
  readonly eachGroup: (take: (group: ShownRecord) => void) => Promise<void>;
  /**
   * Deletes a group if a fetch shows the same record.
   *
   * @returns the status of the response; undefined if none confirmed it
   * @throws SendctlError if it may still exist
   */
  readonly remove: (group: ShownRecord) => Promise<number | undefined>;
  /** Aborted by the first signal, with its name as the reason. */
  readonly stop: AbortSignal;
  /** Resolves after `milliseconds`, or at the second signal. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** A refusal, and what it was for: "field" for a field or query parameter. */
export interface Refusal {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
  readonly cause: "unknown_path" | "not_found" | "field";
}

/** Why something is unknown, as its message. */
export class Unknown extends Error {
  /** Whether the service may have carried out the request that shows nothing. */
  readonly mayBeDone: boolean;

  constructor(why: string, mayBeDone = false) {
    super(why);
    this.mayBeDone = mayBeDone;
  }
}

/** Milliseconds between two requests. */
const gap = 250;

export type Requests = ReturnType<typeof createRequests>;

/** Creates the sender of the experiments' requests, one after the other. */
export function createRequests({ send, stop, pause }: ProbeTarget) {
  const refusals: Refusal[] = [];
  /** Why nothing more is sent. */
  let ended: string | undefined;

  /** @throws SendctlError "cancelled" or "terminated" after a signal */
  const throwIfStopped = (): void => {
    if (stop.aborted) throw stoppedBy(stop.reason);
  };

  /**
   * Sends a request. Services refuse with any 4xx, or with status false in a 2xx.
   *
   * @param cause what a refusal is for; without one it is not recorded
   * @returns the status and the `data` of an envelope; undefined for a refusal
   * @throws Unknown for any other response, and without one
   */
  const perform = async (request: Request, cause: Refusal["cause"] | undefined) => {
    if (ended === undefined) await pause(gap);
    throwIfStopped();
    if (ended !== undefined) throw new Unknown(ended);
    const { status, text } = await send(request).catch((error: unknown) => {
      if (error instanceof Unknown && !error.mayBeDone) ended = "the service stopped responding";
      throw error;
    });
    if (status === 429)
      throw new Unknown((ended = "the service keeps rejecting requests (HTTP 429)"));
    if (status === 204) return { status, data: null };
    const body = await parseJson(text);
    const isSuccess = status >= 200 && status < 300;
    const flag = isSuccess && isObject(body) ? body["status"] : undefined;
    if (flag === true && isObject(body) && "data" in body) return { status, data: body["data"] };
    if (flag !== false && (status < 400 || status >= 500 || gatewayTimeouts.has(status))) {
      throw new Unknown(`HTTP ${status}${isSuccess ? " without an envelope" : ""}`, true);
    }
    if (cause !== undefined) refusals.push({ status, body, cause });
    return undefined;
  };

  return {
    /** All refusals that were recorded. */
    refusals,
    throwIfStopped,
    get: (path: string, cause?: Refusal["cause"]) =>
      perform({ method: "GET", path, body: undefined }, cause),
    write: (method: "POST" | "PUT", path: string, body: object) =>
      perform({ method, path, body: JSON.stringify(body) }, "field"),
  };
}

export const groupList = "/v1/group";
export const senderIdList = "/v1/sender-id";

/** Returns the path of a group. @param key its id or uuid */
export function groupPath(key: string): string {
  return `${groupList}/${encodeURIComponent(key)}`;
}

/** Returns a page, with undefined for missing numbers. @throws Unknown for other data */
export function pageOf({ data }: { readonly data: unknown }) {
  const { data: records, current_page, per_page } = isObject(data) ? data : {};
  if (!Array.isArray(records) || !records.every(isObject)) throw new Unknown("not a page");
  return { records, current: readCount(current_page), perPage: readCount(per_page) };
}

/** Returns the id of a record as text, whatever its JSON type; undefined if it has none. */
export function idOf({ id }: { readonly id?: unknown }): string | undefined {
  if (typeof id === "string") return id === "" ? undefined : id;
  return typeof id === "bigint" || Number.isSafeInteger(id) ? String(id) : undefined;
}
