import type { LostResponse } from "./attempt.ts";

/** A readable reason why no response arrived. */
export interface LostReason {
  readonly message: string;
  readonly hint?: string;
}

const checkName = "check the host name in the base URL";
const checkNetwork = "check your network and that the service is running";
const trust = "to trust a private authority, set NODE_EXTRA_CA_CERTS to its certificate file";

/** By error code of Node: what the host did, and a hint. */
const causes: Readonly<Record<string, readonly [message: string, hint?: string]>> = {
  ECONNREFUSED: ["refused the connection", checkNetwork],
  ENOTFOUND: ["has no address", checkName],
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

/**
 * Explains why no response arrived.
 *
 * @param via host and port of the proxy, if one is used
 */
export function explainLost(
  { error }: LostResponse,
  host: string,
  via: string | undefined,
): LostReason {
  const code = error.code ?? "";
  const peer = via === undefined ? host : `${host} (through the proxy ${via})`;
  if (code === "EPROXY") return { message: `${host} cannot be reached: ${error.message}, ${via}` };
  if (code.startsWith("HPE_")) return { message: `${peer} does not speak HTTP: ${error.message}` };
  const cause = causes[code];
  if (cause === undefined) return { message: `${peer} did not respond: ${error.message}` };
  const [message, hint] = cause;
  return { message: `${peer} ${message}`, ...(hint === undefined ? {} : { hint }) };
}
