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
 * @throws SendctlError "usage" for a text that is not PEM, a certificate that has expired or is not
 *   valid yet, a key with a passphrase, or the key of another certificate
 */
export function checkTls(tls: Tls, names: Readonly<Record<keyof Tls, string>>, now: number) {
  const refuse = (setting: keyof Tls, problem: string, hint: string) =>
    new SendctlError("usage", `${names[setting]} ${problem}`, {
      hint,
      field: names[setting],
    });
  const { cert, key: keyText } = tls;
  const chain = certificatesIn(cert).map((text) => attempt(() => new X509Certificate(text)));
  const [first] = chain;
  if (first === undefined || chain.includes(undefined)) {
    throw refuse(
      "cert",
      "is not a certificate in PEM",
      "pass one that begins with BEGIN CERTIFICATE",
    );
  }
  if (/ENCRYPTED/.test(keyText)) {
    const hint = "remove it: openssl pkey -in key.pem -out plain.pem";
    throw refuse("key", "has a passphrase", hint);
  }
  const key = attempt((): KeyObject => createPrivateKey(keyText));
  if (key === undefined) {
    throw refuse(
      "key",
      "is not a private key in PEM",
      "pass one that begins with BEGIN PRIVATE KEY",
    );
  }
  const whole = chain as readonly X509Certificate[];
  const place = whole.findIndex((one) => one.checkPrivateKey(key));
  if (place < 0) {
    throw refuse("key", `does not fit ${names.cert}`, "pass the key of this certificate");
  }
  if (place > 0) {
    const hint = "put that certificate first, then those of its authorities";
    throw refuse("cert", "has the certificate of the key after others", hint);
  }
  if (Date.parse(first.validTo) < now) {
    throw refuse("cert", `expired on ${dayOf(first.validTo)}`, "pass a certificate that is valid");
  }
  if (Date.parse(first.validFrom) > now) {
    const from = dayOf(first.validFrom);
    throw refuse("cert", `is only valid from ${from} on`, "pass a certificate that is valid");
  }
  const last = whole.at(-1)!;
  return {
    cert,
    key: keyText,
    /** Why clients may refuse it. */
    problems: problemsOf(whole, now),
    /** The authority whose certificate is missing at the end of the chain. */
    missingAuthority: last.checkIssued(last) ? undefined : nameOf(last.issuer),
    /** Returns whether a client accepts it for a host. */
    isFor: (host: string): boolean =>
      (isIP(host) ? first.checkIP(host) : first.checkHost(host)) !== undefined,
    /** The names and addresses that it is for. */
    hosts: (first.subjectAltName ?? first.subject).replaceAll(/(?:DNS|IP Address):/g, ""),
    /** Returns whether it was issued by an authority known to Node, or by one of these, in PEM. */
    isKnown: (further: string): boolean =>
      [...rootCertificates, ...certificatesIn(further)].some((text) => {
        const authority = attempt(() => new X509Certificate(text));
        return authority !== undefined && last.checkIssued(authority);
      }),
  };
}

/** Returns why clients may refuse a chain, whose first certificate is valid. */
function problemsOf(
  [first, ...others]: readonly X509Certificate[],
  now: number,
): readonly string[] {
  let issued = first!;
  const inChain = others.flatMap((authority) => {
    const [name, by] = [nameOf(authority.subject), nameOf(issued.issuer)];
    const isNext = issued.checkIssued(authority);
    const isExpired = Date.parse(authority.validTo) < now;
    issued = authority;
    return [
      ...(isNext ? [] : [`is followed by that of ${name}, but was issued by ${by}`]),
      ...(isExpired
        ? [`is followed by that of ${name}, which expired on ${dayOf(authority.validTo)}`]
        : []),
    ];
  });
  const isNamed = first!.subjectAltName !== undefined;
  return [...(isNamed ? [] : ["lacks a subject alternative name"]), ...inChain];
}

/** Returns the common name in a subject or an issuer. */
function nameOf(subject: string): string {
  return /^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll("\n", ", ");
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
