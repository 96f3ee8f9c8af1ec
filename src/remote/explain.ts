import type { Lost } from "./attempt.ts";

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused the connection",
  ENOTFOUND: "has no address: check its name",
  EAI_AGAIN: "has no address just now: the name service did not answer",
  ECONNRESET: "broke off the connection",
  EPIPE: "broke off the connection",
  EHOSTUNREACH: "can't be reached",
  ENETUNREACH: "can't be reached: there is no network to it",
  DEPTH_ZERO_SELF_SIGNED_CERT: "shows a certificate that it signed itself",
  SELF_SIGNED_CERT_IN_CHAIN: "shows a certificate of an authority that is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "shows a certificate of an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "shows a certificate of an authority that is not trusted",
  CERT_HAS_EXPIRED: "shows a certificate that has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "shows a certificate for another name",
  EPROTO: "does not speak TLS here",
};

const trustAdvice = "to trust a private authority, name its file in NODE_EXTRA_CA_CERTS";

/**
 * One line: who could not be reached, and why.
 *
 * @param via the proxy in between, as host and port
 */
export function explainLost({ error }: Lost, host: string, via: string | undefined): string {
  const code = error.code ?? "";
  const cause = causes[code];
  const who = via === undefined ? host : `${host}, through the proxy ${via},`;
  if (code === "EPROXY") return `${host} can't be reached: ${error.message}, ${via}`;
  if (code.startsWith("HPE_")) return `${who} does not answer as HTTP has it: ${error.message}`;
  if (cause === undefined) return `${who} gave no answer: ${error.message}`;
  return cause.includes("authority") || cause.includes("itself")
    ? `${who} ${cause}: ${trustAdvice}`
    : `${who} ${cause}`;
}
