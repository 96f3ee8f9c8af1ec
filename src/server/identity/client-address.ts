import type { IncomingMessage } from "node:http";
import { isIP, isIPv4 } from "node:net";
import { headersOf } from "../read-request.ts";

/** Length of the longest address, in characters. */
const maxLength = 45;

/** Returns an IPv4 address as such; a socket for both versions shows it as `::ffff:192.0.2.1`. */
export function plainAddress(address: string | undefined): string | undefined {
  const mapped = address?.startsWith("::ffff:") === true ? address.slice(7) : "";
  return isIPv4(mapped) ? mapped : address;
}

/**
 * Returns the address that the nearest proxy added, which is the last one: a client can send any number of others
 * before it. `Forwarded` counts only without `X-Forwarded-For`.
 *
 * @returns undefined if neither header ends with an address
 */
export function forwardedAddress(request: IncomingMessage): string | undefined {
  const list = headersOf(request, "x-forwarded-for").at(-1);
  if (list !== undefined) return addressIn(list.slice(list.lastIndexOf(",") + 1));
  return addressIn(lastFor(headersOf(request, "forwarded").at(-1) ?? "") ?? "");
}

/** A pair of `Forwarded`, such as `for=192.0.2.1`, with the separator after it: RFC 7239, part 4. */
const pair =
  /[ \t]*(?:(?<name>[\w-]+)=(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<plain>[^\s",;]*))[ \t]*)?(?<end>[,;]|$)/y;

/**
 * Returns `for` of the last element of `Forwarded`. If the header is malformed, only the text after the last comma
 * counts: with an open quotation mark, a client could otherwise replace or hide what the proxy adds. Reads the header
 * at most twice, because any client can send a long one.
 */
function lastFor(header: string): string | undefined {
  let found: string | undefined;
  for (pair.lastIndex = 0; ;) {
    const { name, quoted, plain, end } = pair.exec(header)?.groups ?? {};
    if (end === undefined) {
      const comma = header.lastIndexOf(",");
      return comma < 0 ? undefined : lastFor(header.slice(comma + 1));
    }
    if (name?.toLowerCase() === "for") found = quoted ?? plain;
    if (end === "") return found;
    if (end === ",") found = undefined;
  }
}

/** Returns the address in a text like `192.0.2.1`, `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(trimmed)?.[1];
  const bare = bracketed ?? (isIP(trimmed) === 0 ? trimmed.replace(/:\d{1,5}$/, "") : trimmed);
  return bare.length <= maxLength && isIP(bare) !== 0 ? plainAddress(bare) : undefined;
}
