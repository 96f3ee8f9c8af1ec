import type { Reply } from "../contract/service.ts";
import type { RemoteOptions } from "./options.ts";

/** Matches the path of a list or a create, which exists on every service. */
const collectionPath = /^\/v1\/[^/?#]+(?:[?#]|$)/;

/** Adds what the user can do about a refusal. @param path of the request, without the path of the base URL */
export function withRefusalHint(
  reply: Reply,
  path: string,
  { base, keyHint }: Pick<RemoteOptions, "base" | "keyHint">,
): Reply {
  const hint = hintFor(reply.status, path, base, keyHint);
  return hint === undefined ? reply : { ...reply, hint };
}

function hintFor(
  status: number,
  path: string,
  { pathname }: URL,
  keyHint: string | undefined,
): string | undefined {
  if (status === 401 || status === 403) return keyHint;
  // The path of each request begins with /v1, too.
  const isRepeated = status === 404 && /\/v1\/*$/.test(pathname) && collectionPath.test(path);
  return isRepeated ? "omit /v1 from the base URL" : undefined;
}
