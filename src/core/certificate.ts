import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import { SendctlError } from "./error.ts";

/** A certificate with its chain and its key, both in PEM. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that a server can use, and what it says about it. */
export type CheckedTls = ReturnType<typeof checkTls>;

/**
 * Checks a certificate and its key.
 *
 * @param names how messages name the two
 * @param now milliseconds since 1970
 * @throws SendctlError "usage" for a text that is not PEM, a certificate that has expired or is not valid yet, a key with a
 *   passphrase, or the key of another certificate
 */
export function checkTls(tls: Tls, names: Readonly<Record<keyof Tls, string>>, now: number) {
  const refuse = (setting: keyof Tls, problem: string, hint: string) =>
    new SendctlError("usage", `${names[setting]} ${problem}`, {
      hint,
      field: names[setting],
    });
  const chain = certificatesIn(tls.cert).map((text) => attempt(() => new X509Certificate(text)));
  const [first] = chain;
  if (first === undefined || chain.includes(undefined)) {
    throw refuse(
      "cert",
      "is not a certificate in PEM",
      "pass one that begins with BEGIN CERTIFICATE",
    );
  }
  if (/ENCRYPTED/.test(tls.key)) {
    const hint = "remove it: openssl pkey -in key.pem -out plain.pem";
    throw refuse("key", "has a passphrase", hint);
  }
  const key = attempt((): KeyObject => createPrivateKey(tls.key));
  if (key === undefined) {
    throw refuse(
      "key",
      "is not a private key in PEM",
      "pass one that begins with BEGIN PRIVATE KEY",
    );
  }
  if (!first.checkPrivateKey(key)) {
    throw refuse("key", `does not fit ${names.cert}`, "pass the key of this certificate");
  }
  if (Date.parse(first.validTo) < now) {
    throw refuse("cert", `expired on ${dayOf(first.validTo)}`, "pass a certificate that is valid");
  }
  if (Date.parse(first.validFrom) > now) {
    const from = dayOf(first.validFrom);
    throw refuse("cert", `is only valid from ${from} on`, "pass a certificate that is valid");
  }
  return {
    ...tls,
    /** Returns whether a client accepts it for a host. */
    isFor: (host: string): boolean =>
      (isIP(host) ? first.checkIP(host) : first.checkHost(host)) !== undefined,
    /** The names and addresses that it is for. */
    hosts: (first.subjectAltName ?? first.subject).replaceAll(/(?:DNS|IP Address):/g, ""),
    /** Returns whether it was issued by an authority that Node knows, or by one of these, in PEM. */
    isKnown: (further: string): boolean =>
      [...rootCertificates, ...certificatesIn(further)].some((text) => {
        const authority = attempt(() => new X509Certificate(text));
        return authority !== undefined && chain.at(-1)!.checkIssued(authority);
      }),
  };
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function dayOf(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}

function certificatesIn(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
}
