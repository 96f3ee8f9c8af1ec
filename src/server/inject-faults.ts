import {
  dispatch,
  type AppliedFault,
  type ServedRequest,
  type ServedResponse,
  refusal,
} from "./dispatch.ts";
import type { OperationName } from "../contract/operations.ts";
import { sequenceOf } from "../core/runtime.ts";
import type { Envelope, Service } from "../contract/service.ts";
import type { Refuse } from "../engine/rules/replies.ts";
import type { InjectedFault, WrongBody } from "./faults.ts";
import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";

/** The fields of a request: those of its body, and the parameter of its path. */
type RequestFields = Readonly<Record<string, unknown>>;

/**
 * Creates the faults of a server: for all requests, and for those of one integration. Each fault
 * counts all requests for its operations that meet its conditions, as they arrive. If several are
 * due, the first applies; those of the integration come before those of all requests.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function createFaults(elapsed: () => number) {
  /** By the name of the integration; undefined for all requests. */
  const lists = new Map<string | undefined, readonly CountingFault[]>();
  return {
    /** Replaces the faults of an integration, or those of all requests. */
    replace: (faults: readonly InjectedFault[], integration?: string): void => {
      lists.set(
        integration,
        faults.map((fault) => countingFault(fault, elapsed)),
      );
    },
    clear: (): void => lists.clear(),
    /** Returns the whole faults of an integration, or those of all requests. */
    texts: (integration?: string): readonly string[] =>
      (lists.get(integration) ?? []).map(({ fault }) => fault.text),
    /** Returns the search for the fault of an integration's next request; undefined if none. */
    of: (integration: string) => {
      const faults = [integration, undefined].flatMap((name) => lists.get(name) ?? []);
      if (faults.length === 0) return undefined;
      // Each counts the request.
      return (name: OperationName, fieldsOf: () => RequestFields = () => ({})) =>
        faults.map(({ count }) => count(name, fieldsOf)).find((due) => due !== undefined);
    },
  };
}

type FaultInjector = NonNullable<ReturnType<ReturnType<typeof createFaults>["of"]>>;

type CountingFault = ReturnType<typeof countingFault>;

/** Counts the requests for a fault from now on. */
function countingFault(fault: InjectedFault, elapsed: () => number) {
  const startsAt = elapsed() + fault.after;
  const draw = sequenceOf(fault.seed);
  let arrived = 0;
  return {
    fault,
    /** Counts a request, and returns the fault if it applies. */
    count: (name: OperationName, fieldsOf: () => RequestFields): AppliedFault | undefined => {
      if (!fault.operations.has(name) || !hasFields(fieldsOf, fault)) return undefined;
      const time = elapsed() - startsAt;
      if (time < 0 || time >= fault.for) return undefined;
      // Drawn for each request, so that the sequence depends on nothing else.
      if (fault.chance < 1 && draw() >= fault.chance) return undefined;
      arrived += 1;
      const nth = (arrived - fault.skip) / fault.every;
      if (nth <= 0 || !Number.isInteger(nth) || nth > fault.times) return undefined;
      const progress = fault.times === Infinity ? "" : ` (${nth} of ${fault.times})`;
      return { fault, text: `${fault.text}${progress}` };
    },
  };
}

/** Returns whether a request has the fields that a fault depends on. */
function hasFields(fieldsOf: () => RequestFields, { fields }: InjectedFault): boolean {
  const wanted = Object.entries(fields);
  if (wanted.length === 0) return true;
  const given = fieldsOf();
  return wanted.every(([name, text]) => Object.hasOwn(given, name) && String(given[name]) === text);
}

/** Dispatches a request with the fault that is due, except its latency and connection drop. */
export async function dispatchWithFaults(
  faults: FaultInjector,
  service: Service,
  request: ServedRequest,
  refuse: Refuse,
): Promise<ServedResponse> {
  const { routed } = request;
  if (!("name" in routed)) return dispatch(service, request, refuse);
  const appliedFault = faults(routed.name, () => fieldsOf(request, routed.path));
  if (appliedFault === undefined) return dispatch(service, request, refuse);
  const { status, drop, body, header, "retry-after": seconds } = appliedFault.fault;
  const isCarriedOut = status === undefined && drop !== "before" && drop !== "reset";
  const original = isCarriedOut
    ? await dispatch(service, request, refuse)
    : // The status of a fault is as given, even if the service refuses everything with 200.
      { ...refusal(refuse, status ?? 500, "Injected fault"), status: status ?? 500 };
  return {
    // A 204 could have no body.
    status: original.status === 204 && body !== undefined ? 200 : original.status,
    text:
      typeof body === "string"
        ? wrongTexts[body](original.text || "{}")
        : (body?.text ?? original.text),
    headers: {
      ...original.headers,
      ...(seconds !== undefined && { "Retry-After": String(seconds) }),
      ...(body === "html" && { "Content-Type": "text/html; charset=utf-8" }),
      ...header,
    },
    appliedFault,
  };
}

/** Returns the fields of a request; those of its path if its body is not an object. */
function fieldsOf({ body }: ServedRequest, path: RequestFields): RequestFields {
  try {
    return { ...path, ...(JSON.parse(Buffer.from(body).toString("utf8")) as object) };
  } catch {
    return path;
  }
}

const wrongTexts: Readonly<Record<WrongBody, (original: string) => string>> = {
  html: () => "<!doctype html>\n<title>Gateway</title>\n<h1>This is not the service</h1>\n",
  empty: () => "",
  truncated: firstHalf,
  "not-json": () => "This is not JSON",
  // No operation returns an array as `data` (docs/behaviour.md).
  "wrong-shape": (original) =>
    JSON.stringify({ ...(JSON.parse(original) as Envelope), data: true }),
};

/** Returns the first half of a text. */
export function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}

/** Maximum number of pieces of a slow body. */
const maxPieces = 100;

/** Sends the body of a response in pieces, for the given time, or at once if the server stops. */
export async function sendSlowly(
  response: ServerResponse,
  text: string,
  milliseconds: number,
  stopping: AbortSignal,
): Promise<void> {
  const bytes = Buffer.from(text);
  const length = Math.ceil(bytes.length / maxPieces);
  for (let at = 0; at < bytes.length && !response.destroyed; at += length) {
    const isLast = stopping.aborted;
    response.write(bytes.subarray(at, isLast ? undefined : at + length));
    if (isLast) break;
    await pause((milliseconds * length) / bytes.length, response, stopping);
  }
  response.end();
}

/** Waits for some milliseconds. Ends early if the client disconnects or the server stops. */
export async function pause(
  milliseconds: number,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  if (response.destroyed) return;
  const gone = new AbortController();
  const abort = (): void => gone.abort();
  response.once("close", abort);
  const signal = AbortSignal.any([gone.signal, stopping]);
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
  response.off("close", abort);
}
