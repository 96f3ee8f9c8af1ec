import { SendctlError } from "../../core/error.ts";
import { shellWord, withoutTrailingSlashes } from "../../core/text.ts";
import {
  invalidCoding,
  invalidText,
  tooLong,
  tlsAlert,
  type HttpResponse,
  type LostResponse,
} from "./attempt.ts";
import { readBaseUrl } from "./route.ts";

const checkName = "check the host name in the base URL";
const checkNetwork = "check your network and that the service is running";
const trust = "to trust a private authority, set NODE_EXTRA_CA_CERTS to its certificate file";

const charsetHint = "its Content-Type must name the charset of its text, unless that is UTF-8";
const codingHint = "its Content-Encoding must name the coding of its body: gzip, deflate or br";

/** By error code of Node: what the host did, and a hint. */
const causes: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  ECONNREFUSED: ["refused the connection", checkNetwork],
  EAI_AGAIN: ["cannot be resolved: the name server does not respond", checkNetwork],
  ECONNRESET: ["closed the connection"],
  EPIPE: ["closed the connection"],
  EHOSTUNREACH: ["cannot be reached", checkNetwork],
  ENETUNREACH: ["cannot be reached: no route to its network", checkNetwork],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["presents a self-signed certificate", trust],
  SELF_SIGNED_CERT_IN_CHAIN: ["presents a certificate from an untrusted authority", trust],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["presents a certificate from an untrusted authority", trust],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["presents a certificate from an untrusted authority", trust],
  CERT_HAS_EXPIRED: ["presents an expired certificate"],
  ERR_TLS_CERT_ALTNAME_INVALID: ["presents a certificate for another name", checkName],
  EPROTO: ["does not speak TLS on this port", "check the scheme and port of the base URL"],
};

/** Where requests are sent. */
export interface Peer {
  readonly base: URL;
  /** Host and port of the proxy, if one is used. */
  readonly via: string | undefined;
  /** Whether it has responded to an earlier request of this command. */
  readonly isKnown: boolean;
}

/** Explains why no response arrived. */
export function explainLost(
  { error }: LostResponse,
  { base: { host, protocol }, via, isKnown }: Peer,
): { readonly message: string; readonly hint?: string | undefined } {
  const code = error.code ?? "";
  const overTls = `if the service uses TLS on this port, write https://${host}`;
  const peer = via === undefined ? host : `${host} (through the proxy ${via})`;
  if (code === tlsAlert) return { message: `${peer} speaks TLS on this port`, hint: overTls };
  if (code === "EPROXY") return { message: `${host} cannot be reached: ${error.message}, ${via}` };
  if (code === invalidText) return { message: `${peer} sent ${error.message}`, hint: charsetHint };
  if (code === invalidCoding) return { message: `${peer} sent ${error.message}`, hint: codingHint };
  if (code === tooLong) return { message: `${peer} sent ${error.message}` };
  if (code.startsWith("HPE_")) return { message: `${peer} does not speak HTTP: ${error.message}` };
  if (code === "ENOTFOUND") {
    return { message: `could not resolve host ${peer}`, hint: checkName };
  }
  const cause = causes[code];
  if (cause === undefined) return { message: `${peer} did not respond: ${error.message}` };
  const [message, hint] = cause;
  const isPlain = protocol === "http:" && code === "ECONNRESET" && !isKnown;
  return { message: `${peer} ${message}`, hint: isPlain ? overTls : hint };
}

/**
 * Returns the error for a redirect. Redirects are not followed: the other host may not belong to
 * the service, and must not get the key.
 */
export function redirected(response: HttpResponse, base: URL): SendctlError {
  const { status, location } = response;
  const target = location === undefined ? undefined : baseUrlIn(location);
  const isOther = target !== undefined && target !== withoutSlash(base);
  return new SendctlError(
    "unexpected_response",
    `${redirectText(response, base, isOther ? target : undefined)}; redirects are not followed`,
    {
      httpStatus: status,
      ...(isOther ? { hint: `if you trust it, pass --base-url ${shellWord(target)}` } : {}),
    },
  );
}

/** Describes a redirect. @param target its base URL; without it, the whole address is shown */
export function redirectText(
  { status, location }: HttpResponse,
  { host }: URL,
  target = location?.href,
): string {
  return `${host} redirects${target === undefined ? "" : ` to ${target}`} (HTTP ${status})`;
}

/** Returns the base URL that a redirect leads to; undefined if it cannot be configured. */
function baseUrlIn({ origin, pathname }: URL): string | undefined {
  const end = pathname.indexOf("/v1/");
  if (end < 0) return undefined;
  try {
    return withoutSlash(readBaseUrl(`${origin}${pathname.slice(0, end)}`, false));
  } catch {
    // Such as an address that would send the key unencrypted.
    return undefined;
  }
}

function withoutSlash({ origin, pathname }: URL): string {
  return withoutTrailingSlashes(`${origin}${pathname}`);
}
