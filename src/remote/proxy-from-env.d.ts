/** What src/remote/proxy.ts uses of a package that comes without types. */
declare module "proxy-from-env" {
  /** The proxy for a URL, or "" for none, by the conventions of HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  export function getProxyForUrl(url: string): string;
}
