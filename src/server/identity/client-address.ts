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
  const forwarded = headersOf(request, "forwarded").at(-1) ?? "";
  const last = forwarded.match(elements)?.at(-1);
  const pair = last?.match(pairs)?.find((one) => /^\s*for=/i.test(one));
  return pair === undefined
    ? undefined
    : addressIn(pair.replace(/^\s*for=/i, "").replaceAll('"', ""));
}

/**
 * Elements of `Forwarded`, and the pairs of an element: RFC 7239, part 4. A quoted text, such as a host that the client
 * chose, may contain both separators.
 */
const elements = /(?:"(?:[^"\\]|\\.)*"|[^",])+/g;
const pairs = /(?:"(?:[^"\\]|\\.)*"|[^";])+/g;

/** Returns the address in a text like `192.0.2.1`, `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function addressIn(text: string): string | undefined {
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(trimmed)?.[1];
  const bare = bracketed ?? (isIP(trimmed) === 0 ? trimmed.replace(/:\d{1,5}$/, "") : trimmed);
  return bare.length <= maxLength && isIP(bare) !== 0 ? plainAddress(bare) : undefined;
}
