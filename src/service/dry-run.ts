import type { Settings } from "../config/settings.ts";
import { contentHeaders, requestOf, type Request } from "../contract/request.ts";
import { serviceOf, type Service } from "../contract/service.ts";
import { indentedJson } from "../contract/json-text.ts";
import type { Write } from "../output/writer.ts";
import { Shown } from "./shown.ts";
import { pathOn, readBaseUrl } from "../remote/base-url.ts";

/** Where `sendctl serve` listens when nobody says otherwise: the embedded engine's address, so to say. */
const servedLocally = "http://127.0.0.1:4010";

/** Single quotes keep everything from a POSIX shell but a single quote. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A request as a command line of curl, with `$SENDCTL_SECRET_KEY` in place of the key. */
function curlLine(request: Request, base: URL): string {
  const parts = [
    "curl --globoff --path-as-is",
    request.method === "HEAD" ? "--head" : `--request ${quoted(request.method)}`,
    quoted(`${base.origin}${pathOn(base, request.path)}`),
    '--header "Authorization: Bearer $SENDCTL_SECRET_KEY"',
    ...Object.entries(contentHeaders(request)).map(
      ([name, value]) => `--header ${quoted(`${name}: ${value}`)}`,
    ),
    ...(request.body === undefined ? [] : [`--data-raw ${quoted(request.body)}`]),
  ];
  return parts.join(" ");
}

const wholeRecord = "a real update reads the group first and sends all of its fields";

/** @throws Shown, always: there is nothing to go on with */
async function showRequest(
  request: Request,
  { baseUrl, insecureHttp, format }: Settings,
  print: Write,
): Promise<never> {
  const curl = curlLine(request, readBaseUrl(baseUrl ?? servedLocally, insecureHttp));
  const envelope = { status: true, message: "Dry run: nothing was sent", data: { curl } };
  await print(format === "json" ? indentedJson(JSON.stringify(envelope)) : `${curl}\n`);
  throw new Shown();
}

export interface Showing {
  readonly service: Service;
  readonly send: (request: Request) => Promise<never>;
}

/**
 * Returns a service that shows its requests and sends none.
 *
 * @param say writes a line that is not part of the request
 */
export function createShowing(
  settings: Settings,
  print: Write,
  say: (line: string) => Promise<void>,
): Showing {
  const send = (request: Request): Promise<never> => showRequest(request, settings, print);
  return {
    service: serviceOf((name) => async (input: object) => {
      if (name === "group.update" && settings.baseUrl !== undefined) await say(wholeRecord);
      return send(requestOf(name, input));
    }),
    send,
  };
}
