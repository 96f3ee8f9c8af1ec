import type { HttpResponse } from "./attempt.ts";

/** Returns a token that a response has in a header. One with the key gets into no URL and no message. */
export function tokenIn(
  { headers }: Pick<HttpResponse, "headers">,
  name: string,
  form: RegExp,
  hide: (text: string) => string = (text) => text,
): string | undefined {
  const sent = headers[name.toLowerCase()];
  return typeof sent === "string" && form.test(sent) && hide(sent) === sent ? sent : undefined;
}
