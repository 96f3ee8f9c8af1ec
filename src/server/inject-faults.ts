import {
  dispatch,
  type AppliedFault,
  type ServedRequest,
  type ServedResponse,
  refusal,
  routeOf,
} from "./dispatch.ts";
import type { OperationName } from "../contract/operations.ts";
import type { Envelope, Service } from "../contract/service.ts";
import type { Refuse } from "../engine/rules/replies.ts";
import type { Drop, InjectedFault, WrongBody } from "./faults.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";

/** The fields of a request: those of its body, and the parameter of its path. */
type RequestFields = Readonly<Record<string, unknown>>;

/**
 * Returns the fault to inject into the next request for an operation.
 *
 * @param fieldsOf returns the fields of the request
 */
export type FaultInjector = (
  name: OperationName,
  fieldsOf?: () => RequestFields,
) => AppliedFault | undefined;

/**
 * Creates an injector. Each fault counts all requests for its operations that meet its conditions, as they arrive. If
 * several faults are due, the first applies.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function createFaultInjector(
  faults: readonly InjectedFault[],
  elapsed: () => number = () => 0,
): FaultInjector {
  const startedAt = elapsed();
  const arrived = faults.map(() => 0);
  const draws = faults.map(({ seed }) => sequenceOf(seed));
  return (name, fieldsOf = () => ({})) => {
    let appliedFault: AppliedFault | undefined;
    for (const [index, fault] of faults.entries()) {
      if (!fault.operations.has(name) || !hasFields(fieldsOf, fault)) continue;
      const time = elapsed() - startedAt - fault.from;
      if (time < 0 || time >= fault.lasts) continue;
      // Drawn for each request, so that the sequence depends on nothing else.
      if (fault.chance < 1 && draws[index]!() >= fault.chance) continue;
      const count = (arrived[index]! += 1) - fault.skip;
      const nth = count / fault.every;
      if (count < 1 || !Number.isInteger(nth) || nth > fault.times) continue;
      const progress = fault.times === Infinity ? "" : ` (${nth} of ${fault.times})`;
      appliedFault ??= { fault, text: `${fault.text}${progress}` };
    }
    return appliedFault;
  };
}

/**
 * Creates the injectors of a server: for all requests, and for those of one integration.
 *
 * @param elapsed monotonic time in milliseconds
 */
export function createFaultInjectors(elapsed: () => number) {
  /** By the name of the integration; undefined for all requests. */
  const injectors = new Map<
    string | undefined,
    { readonly texts: readonly string[]; readonly inject: FaultInjector }
  >();
  return {
    /** Replaces the faults of an integration, or those of all requests. */
    replace: (faults: readonly InjectedFault[], integration?: string): void => {
      const texts = faults.map(({ text }) => text);
      if (faults.length === 0) injectors.delete(integration);
      else injectors.set(integration, { texts, inject: createFaultInjector(faults, elapsed) });
    },
    clear: (): void => injectors.clear(),
    /** Returns the whole faults of an integration, or those of all requests. */
    texts: (integration?: string): readonly string[] => injectors.get(integration)?.texts ?? [],
    /** Returns the injector for the requests of an integration; undefined without faults. */
    of: (integration: string): FaultInjector | undefined => {
      const [own, all] = [injectors.get(integration)?.inject, injectors.get(undefined)?.inject];
      if (own === undefined || all === undefined) return own ?? all;
      return (...request) => {
        // Both count the request.
        const [first, second] = [own(...request), all(...request)];
        return first ?? second;
      };
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

/** Returns numbers from 0 to 1, always the same ones for a seed (mulberry32). */
function sequenceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d_2b_79_f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Dispatches a request and applies the fault that is due, except its latency and dropped connection. */
export async function dispatchWithFaults(
  faults: FaultInjector,
  service: Service,
  request: ServedRequest,
  refuse: Refuse,
): Promise<ServedResponse> {
  const routed = routeOf(request.method, request.pathname);
  const appliedFault =
    "name" in routed ? faults(routed.name, () => fieldsOf(request, routed.path)) : undefined;
  if (appliedFault === undefined || !("name" in routed)) return dispatch(service, request, refuse);
  const { status, retryAfter, drop, body, givenBody } = appliedFault.fault;
  const isCarriedOut = status === undefined && drop !== "before" && drop !== "reset";
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  const original = isCarriedOut
    ? await dispatch(service, request, refuse)
    : // The status of a fault is as given, even if the service refuses everything with 200.
      { ...refusal(refuse, status ?? 500, "Injected fault", headers), status: status ?? 500 };
  const faulty = body === undefined ? original : withBody(original, body);
  const text = givenBody ?? faulty.text;
  return {
    ...faulty,
    // A 204 could have no body.
    status: faulty.status === 204 && (body ?? givenBody) !== undefined ? 200 : faulty.status,
    text,
    headers: { ...faulty.headers, ...appliedFault.fault.headers },
    operation: routed.name,
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

function withBody(original: ServedResponse, body: WrongBody): ServedResponse {
  const text = wrongTexts[body](original.text || "{}");
  if (body !== "html") return { ...original, text };
  const headers = { ...original.headers, "Content-Type": "text/html; charset=utf-8" };
  return { ...original, text, headers };
}

const wrongTexts: Readonly<Record<WrongBody, (original: string) => string>> = {
  html: () => "<!doctype html>\n<title>Gateway</title>\n<h1>This is not the service</h1>\n",
  empty: () => "",
  truncated: firstHalf,
  "not-json": () => "This is not JSON",
  // No operation returns an array as `data`: specification, part 4.
  "wrong-shape": (original) =>
    JSON.stringify({ ...(JSON.parse(original) as Envelope), data: true }),
};

function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}

/** Delays a response. Ends early if the client disconnects or the server stops. */
export async function delayResponse(
  milliseconds: number,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  if (response.destroyed) return;
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, stopping]);
  const delay = setTimeout(milliseconds, undefined, { signal });
  await Promise.race([delay, once(response, "close", { signal })]).catch(() => {});
  ended.abort();
}

/** Maximum number of pieces of a slow body. */
const maxPieces = 100;

/** Sends the body of a response in pieces, for the given time. The rest is sent at once if the server stops. */
export async function sendSlowly(
  response: ServerResponse,
  text: string,
  milliseconds: number,
  stopping: AbortSignal,
): Promise<void> {
  const bytes = Buffer.from(text);
  const length = Math.ceil(bytes.length / maxPieces);
  for (let at = 0; at < bytes.length && !response.destroyed && !stopping.aborted; at += length) {
    response.write(bytes.subarray(at, at + length));
    await delayResponse((milliseconds * length) / bytes.length, response, stopping);
    if (stopping.aborted) response.write(bytes.subarray(at + length));
  }
  response.end();
}

/**
 * Closes the connection; for "during", after half of the response.
 *
 * @param sendHead writes the head of the response
 */
export function dropConnection(
  { socket }: IncomingMessage,
  response: ServerResponse,
  drop: Drop,
  text: string,
  sendHead: () => void,
): void {
  if (drop === "reset") return void socket.resetAndDestroy();
  if (drop !== "during") return void socket.destroy();
  sendHead();
  response.write(firstHalf(text), () => socket.destroy());
}
