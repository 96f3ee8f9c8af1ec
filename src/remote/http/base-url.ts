import { SendctlError } from "../../contract/error.ts";

/** 127.0.0.0/8, as URL writes it, ::1, and localhost: what never leaves this machine. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function isLoopback({ hostname }: URL): boolean {
  return loopbackHost.test(hostname);
}

/**
 * The base URL of a service, which may have a path of its own.
 *
 * @param insecureHttp whether a key may cross a network unencrypted
 * @throws SendctlError "usage" of the setting `base URL`; text that could hold a password is not repeated
 */
export function readBaseUrl(text: string, insecureHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw invalidBaseUrl("the base URL is invalid", "write it like https://api.example.com");
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

/** The setting that errors of a base URL name: a flag, a variable or a profile sets it. */
export const baseUrlSetting = "base URL";

function invalidBaseUrl(message: string, hint: string): SendctlError {
  return new SendctlError("usage", message, { hint, setting: baseUrlSetting });
}

/** Where a request goes: the path of the base URL, then the request's own. */
export function pathOn(base: URL, path: string): string {
  return `${base.pathname.replace(/\/+$/, "")}${path}`;
}
