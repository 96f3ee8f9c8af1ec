import type { Settings } from "../../config/settings.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { contentHeaders, type Request } from "../../contract/request.ts";
import type { Output } from "../../output/output.ts";
import { safeJson, shellQuoted } from "../../core/text.ts";
import { DryRunEnded } from "../../core/error.ts";
import { pathOn, readBaseUrl } from "../../client/http/route.ts";
import { sendsOnlyChanges } from "../../client/writes/group-writes.ts";
import type { Layer } from "./layer.ts";

/** The default address of `sendctl serve`, shown for requests to the embedded engine. */
const localServerUrl = "http://127.0.0.1:4010";

/** Formats a request as a curl command, with `$SENDCTL_SECRET_KEY` in place of the key. */
function curlLine(request: Request, base: URL): string {
  const parts = [
    "curl --globoff --path-as-is",
    request.method === "HEAD" ? "--head" : `--request ${shellQuoted(request.method)}`,
    shellQuoted(`${base.origin}${pathOn(base, request.path)}`),
    '--header "Authorization: Bearer $SENDCTL_SECRET_KEY"',
    ...Object.entries(contentHeaders(request)).map(
      ([name, value]) => `--header ${shellQuoted(`${name}: ${value}`)}`,
    ),
    ...(request.body === undefined ? [] : [`--data-raw ${shellQuoted(shownBody(request.body))}`]),
  ];
  return parts.join(" ");
}

/** Escapes invisible characters in a JSON body; a body that is not JSON is returned unchanged. */
function shownBody(body: string): string {
  try {
    JSON.parse(body);
    return safeJson(body);
  } catch {
    return body;
  }
}

const wholeRecord = "a real update reads the group first and sends all of its fields";

/** Creates the layer that prints a call as a curl command instead of carrying it out. It ends the command: DryRunEnded. */
export function createDryRun(
  { baseUrl, insecureHttp }: Settings,
  behaviour: PartialBehaviour,
  output: Output,
): Layer {
  let hasAdvised = baseUrl !== undefined;
  return async ({ operation, request }) => {
    const isWhole = baseUrl !== undefined && !sendsOnlyChanges(behaviour);
    if (operation === "group.update" && isWhole) await output.say(wholeRecord);
    const curl = curlLine(request(), readBaseUrl(baseUrl ?? localServerUrl, insecureHttp));
    if (!hasAdvised) await output.say("To send this, start sendctl serve first");
    hasAdvised = true;
    const message = "Dry run: nothing was sent";
    await output.report({ message, data: { curl }, text: `${curl}\n` });
    throw new DryRunEnded();
  };
}
