import { SendctlError } from "../contract/error.ts";

/** 127.0.0.0/8, as URL writes it, ::1, and localhost: what never leaves this machine. */
const thisMachine = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export function isThisMachine({ hostname }: URL): boolean {
  return thisMachine.test(hostname);
}

/**
 * The base URL of a service, which may have a path of its own.
 *
 * @param insecureHttp whether a key may cross a network unencrypted
 * @throws SendctlError "usage" that says what would be right; text that could hold a password is not repeated
 */
export function readBaseUrl(text: string, insecureHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new SendctlError("usage", "The base URL must be like https://api.example.com");
  }
  if (url.username !== "" || url.password !== "") {
    throw new SendctlError("usage", "The base URL must not hold a user name or password");
  }
  if (url.search !== "" || url.hash !== "") {
    throw new SendctlError("usage", "The base URL must end with its host or path, without ? and #");
  }
  if (url.protocol === "http:" && !isThisMachine(url) && !insecureHttp) {
    throw new SendctlError(
      "usage",
      `The base URL ${url.origin} would send the key unencrypted: use https, or give --insecure-http`,
    );
  }
  return url;
}

/** Where a request goes: the path of the base URL, then the request's own. */
export function pathOn(base: URL, path: string): string {
  return `${base.pathname.replace(/\/+$/, "")}${path}`;
}
