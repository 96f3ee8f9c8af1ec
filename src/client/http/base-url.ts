import { SendctlError } from "../../core/error.ts";
import { withoutTrailingSlashes } from "../../core/safe-text.ts";

/** Matches localhost, ::1 and 127.0.0.0/8 as URL normalises it. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHost.test(hostname);
}

/**
 * Parses the base URL of a service, which may include a path.
 *
 * @param insecureHttp whether the key may be sent over a network unencrypted
 * @throws SendctlError "usage" for the setting `base URL`; text that may contain a password is not repeated
 */
export function readBaseUrl(text: string, insecureHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw invalidBaseUrl("the base URL is invalid", schemeHint(text));
  }
  if (url.username !== "" || url.password !== "") {
    throw invalidBaseUrl("the base URL contains a user name or password", "leave them out");
  }
  if (url.search !== "" || url.hash !== "") {
    throw invalidBaseUrl("the base URL contains ? or #", "end it with its host or path");
  }
  if (url.protocol === "http:" && !isLoopback(url) && !insecureHttp) {
    throw invalidBaseUrl(
      `the base URL ${url.origin} would send the key unencrypted`,
      "use https, or pass --insecure-http",
    );
  }
  return url;
}

/** Matches a host with a port, a dot or both, or localhost, without a user name or password. */
const hostOnly =
  /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?:\/[\w./-]*)?$/i;

/** Returns the hint for an invalid base URL, which may only lack its scheme. */
function schemeHint(text: string): string {
  if (hostOnly.test(text)) {
    const plain = `http://${text}`;
    if (URL.canParse(plain)) {
      return `write ${isLoopback(new URL(plain)) ? plain : `https://${text}`}`;
    }
  }
  return "write it like https://api.example.com";
}

/** The `setting` of base URL errors. A flag, a variable or a profile sets it. */
export const baseUrlSetting = "base URL";

function invalidBaseUrl(message: string, hint: string): SendctlError {
  return new SendctlError("usage", message, { hint, setting: baseUrlSetting });
}

/** Returns the path of the base URL followed by the path of the request. */
export function pathOn(base: URL, path: string): string {
  return `${withoutTrailingSlashes(base.pathname)}${path}`;
}
