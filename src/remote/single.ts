import { contentHeaders, type Request } from "../contract/request.ts";
import { SendctlError } from "../contract/error.ts";
import { attempt } from "./http/attempt.ts";
import { pathOn, readBaseUrl } from "./http/base-url.ts";
import { explainLost } from "./http/explain.ts";
import { requestedWait } from "./http/rate-headers.ts";
import { headerText } from "./open.ts";
import { routeTo } from "./http/proxy.ts";

interface SingleSettings {
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly insecureHttp: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Timeout of a request, in milliseconds. */
  readonly timeout: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Removes secrets from a text. */
  readonly hide: (text: string) => string;
  /** Prints a line of `--debug`. */
  readonly log: (line: string) => Promise<void>;
}

/** The result of one attempt: a response, whatever it is, or why there is none. */
type SingleResult =
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
      readonly text: string;
      /** Milliseconds to wait that the response asks for. */
      readonly wait: number | undefined;
    }
  | { readonly lost: string; readonly hint?: string | undefined; readonly unsent: boolean };

/** A service that gets each request exactly once. */
export interface SingleSender {
  readonly host: string;
  /** @param key the key to send; undefined for none */
  readonly send: (
    request: Request,
    key: string | undefined,
    signal: AbortSignal,
  ) => Promise<SingleResult>;
  readonly close: () => void;
  /** The configured key. */
  readonly key: string;
}

/**
 * Opens a service for single requests, without retries.
 *
 * @throws SendctlError "auth" without a key, "usage" for an invalid key or address
 */
export async function openSingle(settings: SingleSettings): Promise<SingleSender> {
  const { baseUrl, key, insecureHttp, env, timeout, now, hide, log } = settings;
  const base = readBaseUrl(baseUrl, insecureHttp);
  if (key === undefined || !headerText.test(key)) {
    const isMissing = key === undefined;
    const message = isMissing ? `no key is configured for ${base.host}` : "the key is invalid";
    throw new SendctlError(isMissing ? "auth" : "usage", message, {
      hint: "sendctl login, or set SENDCTL_SECRET_KEY",
    });
  }
  const route = await routeTo(base, env);
  const { host } = base;

  async function send(
    request: Request,
    sent: string | undefined,
    signal: AbortSignal,
  ): Promise<SingleResult> {
    const { method, body } = request;
    const path = pathOn(base, request.path);
    const authorization: Record<string, string> =
      sent === undefined ? {} : { Authorization: `Bearer ${sent}` };
    await log(`> ${method} ${base.origin}${path}`);
    const headers = { ...authorization, ...contentHeaders(request) };
    const outcome = await attempt(
      { method, url: base, path, headers, body },
      { timeout, signal, route },
    );
    if ("error" in outcome) {
      const { message, hint } = explainLost(outcome, host, route.via);
      await log(`< ${hide(message)}`);
      return { lost: hide(message), hint, unsent: outcome.unsent };
    }
    await log(`< ${outcome.status}`);
    const { status } = outcome;
    const wait = requestedWait(outcome, now());
    return { status, headers: outcome.headers, text: hide(outcome.text), wait };
  }

  return {
    host,
    key,
    close: () => route.agent.destroy(),
    send: async (request, sent, signal) => {
      try {
        return await send(request, sent, signal);
      } catch (error) {
        // A body over 64 MiB.
        if (!(error instanceof SendctlError) || error.kind !== "unexpected_response") throw error;
        return { lost: error.message, unsent: false };
      }
    },
  };
}
