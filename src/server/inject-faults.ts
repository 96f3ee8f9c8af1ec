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
import { setTimeout } from "node:timers/promises";

/** Returns the fault to inject into the next request for an operation. */
export type FaultInjector = (name: OperationName) => AppliedFault | undefined;

/**
 * Creates an injector. Each fault counts all requests for its operations as they arrive. If several faults are due,
 * the first applies.
 */
export function createFaultInjector(faults: readonly InjectedFault[]): FaultInjector {
  const arrived = faults.map(() => 0);
  return (name) => {
    let appliedFault: AppliedFault | undefined;
    for (const [index, fault] of faults.entries()) {
      if (!fault.operations.has(name)) continue;
      const count = (arrived[index]! += 1) - fault.skip;
      const nth = count / fault.every;
      if (count < 1 || !Number.isInteger(nth) || nth > fault.times) continue;
      const progress = fault.times === Infinity ? "" : ` (${nth} of ${fault.times})`;
      appliedFault ??= { fault, text: `${fault.text}${progress}` };
    }
    return appliedFault;
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
  const appliedFault = "name" in routed ? faults(routed.name) : undefined;
  if (appliedFault === undefined || !("name" in routed)) return dispatch(service, request, refuse);
  const { status, retryAfter, drop, body } = appliedFault.fault;
  const isCarriedOut = status === undefined && drop !== "before";
  const headers = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  const original = isCarriedOut
    ? await dispatch(service, request, refuse)
    : // The status of a fault is as given, even if the service refuses everything with 200.
      { ...refusal(refuse, status ?? 500, "Injected fault", headers), status: status ?? 500 };
  const faulty = body === undefined ? original : withBody(original, body);
  return { ...faulty, operation: routed.name, appliedFault };
}

function withBody(original: ServedResponse, body: WrongBody): ServedResponse {
  // A 204 could have no body.
  const status = original.status === 204 ? 200 : original.status;
  const text = wrongTexts[body](original.text || "{}");
  if (body !== "html") return { ...original, status, text };
  const headers = { ...original.headers, "Content-Type": "text/html; charset=utf-8" };
  return { ...original, status, text, headers };
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
  const disconnected = new AbortController();
  const disconnect = (): void => disconnected.abort();
  response.once("close", disconnect);
  const signal = AbortSignal.any([disconnected.signal, stopping]);
  await setTimeout(milliseconds, undefined, { signal }).catch(() => {});
  response.removeListener("close", disconnect);
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
  if (drop !== "during") return void socket.destroy();
  sendHead();
  response.write(firstHalf(text), () => socket.destroy());
}
