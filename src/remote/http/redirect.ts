import { SendctlError } from "../../contract/error.ts";
import { shellWord } from "../../contract/text/shell-word.ts";
import { withoutTrailingSlashes } from "../../contract/text/trailing-slashes.ts";
import type { HttpResponse } from "./attempt.ts";
import { readBaseUrl } from "./base-url.ts";

/**
 * Returns the error for a redirect. Redirects are not followed: the other host may not belong to the service, and must
 * not get the key.
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

/** Describes a redirect. @param target the base URL that it leads to; without it, the whole address is shown */
export function redirectText(
  { status, location }: HttpResponse,
  { host }: URL,
  target = location?.href,
): string {
  return `${host} redirects${target === undefined ? "" : ` to ${target}`} (HTTP ${status})`;
}

/** Returns the base URL of a service to which a request was redirected; undefined if it cannot be configured. */
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
