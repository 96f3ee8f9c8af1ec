import { requestOf, contentHeaders } from "../contract/request.ts";
import type { Reply } from "../contract/service.ts";
import { SendctlError } from "../contract/error.ts";
import { attempt } from "./http/attempt.ts";
import { pathOn, readBaseUrl } from "./http/base-url.ts";
import { decodeOperation } from "./decode.ts";
import { explainLost } from "./http/explain.ts";
import { headerText } from "./open.ts";
import { proxyFor, routeTo } from "./http/proxy.ts";

/** Where a service is to be looked for, and how. */
interface Endpoint {
  readonly baseUrl: string;
  readonly insecureHttp: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ExamineOptions extends Endpoint {
  readonly key: string | undefined;
  /** In milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some moment, never set back. */
  readonly elapsed: () => number;
  readonly hide: (text: string) => string;
}

/** What one request for the shortest list brought. */
export interface ServiceCheck {
  readonly host: string;
  /** Until the response was there, in milliseconds. */
  readonly taken: number;
  /** How far the service's clock is ahead of ours, in milliseconds; undefined where it does not tell. */
  readonly ahead: number | undefined;
  /** The response, or why it is not the service's. */
  readonly reply: Reply | SendctlError;
}

/** Whether a header can carry the key. */
export function isSendable(key: string): boolean {
  return headerText.test(key);
}

/** Which proxy leads to the service, in words that show no password. @throws SendctlError "usage" */
export async function describeProxy({ baseUrl, insecureHttp, env }: Endpoint): Promise<string> {
  const base = readBaseUrl(baseUrl, insecureHttp);
  const { name, address, exception } = proxyFor(base, env);
  if (address === undefined) return "none";
  if (exception === "NO_PROXY") return `${name} is set, and NO_PROXY excepts ${base.hostname}`;
  if (exception !== undefined) return `${name} is set, and ${exception} is reached without it`;
  const route = await routeTo(base, env);
  route.agent.destroy();
  return `${route.via}, from ${name}`;
}

/**
 * Asks a service for its shortest list, once; without a key where there is none that could be sent.
 *
 * @throws SendctlError "usage" for an address that can't be used, "unavailable" or "unexpected_response" where there was no
 *   response, "cancelled" or "terminated"
 */
export async function checkService(options: ExamineOptions): Promise<ServiceCheck> {
  const { key, timeout, signal, now, elapsed } = options;
  const base = readBaseUrl(options.baseUrl, options.insecureHttp);
  const { host } = base;
  const route = await routeTo(base, options.env);
  const request = requestOf("sender-id.list", { query: { perPage: 1 } });
  const authorization: Record<string, string> =
    key === undefined || !isSendable(key) ? {} : { Authorization: `Bearer ${key}` };
  try {
    const begun = elapsed();
    const outcome = await attempt(
      {
        method: request.method,
        url: base,
        path: pathOn(base, request.path),
        headers: { ...authorization, ...contentHeaders(request) },
        body: undefined,
      },
      { timeout, signal, route },
    );
    const ended = now();
    const taken = elapsed() - begun;
    if (signal.aborted) {
      const kind = signal.reason === "SIGTERM" ? "terminated" : "cancelled";
      throw new SendctlError(kind, "Interrupted: nothing was changed");
    }
    if ("error" in outcome) {
      const isResponse = outcome.error.code?.startsWith("HPE_") === true;
      const { message, ...hint } = explainLost(outcome, host, route.via);
      throw new SendctlError(isResponse ? "unexpected_response" : "unavailable", message, hint);
    }
    const response = { ...outcome, text: options.hide(outcome.text) };
    return {
      host,
      taken,
      ahead: aheadOf(response.headers.date, ended - taken / 2),
      reply: await replyOf(() => decodeOperation("sender-id.list", response, host, ended)),
    };
  } finally {
    route.agent.destroy();
  }
}

/** The header Date counts whole seconds, of which half has gone on average. */
function aheadOf(date: string | undefined, now: number): number | undefined {
  const serverTime = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(serverTime) ? undefined : serverTime + 500 - now;
}

async function replyOf(decode: () => Promise<Reply>): Promise<Reply | SendctlError> {
  try {
    return await decode();
  } catch (error) {
    if (error instanceof SendctlError) return error;
    throw error;
  }
}
