import type { Settings } from "../../config/settings.ts";
import type { PartialBehaviour } from "../../contract/behaviour.ts";
import { contentHeaders, type Request } from "../../contract/request.ts";
import { recordFormats } from "../../output/formats/formats.ts";
import type { Output } from "../../output/output.ts";
import type { RecordView } from "../../output/views.ts";
import { safeJson, shellQuoted } from "../../core/text.ts";
import { DryRunEnded } from "../../core/error.ts";
import { pathOn, readBaseUrl } from "../../client/http/route.ts";
import { sendsOnlyChanges } from "../../client/writes/updates.ts";
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

const requestView: RecordView = { key: "curl", fields: {}, columns: ["curl"] };

/** Creates the layer that ends calls unsent: DryRunEnded shows all requests as curl commands. */
export function createDryRun(
  { baseUrl, insecureHttp }: Settings,
  behaviour: PartialBehaviour,
  output: Output,
): Layer {
  const requests: { readonly curl: string }[] = [];
  let hasAdvised = false;
  const show = (): Promise<void> =>
    output.report({
      message: "Dry run: nothing was sent",
      data: requests.length === 1 ? requests[0] : { requests },
      text: requests.map(({ curl }) => `${curl}\n`).join(""),
      records: { items: requests, view: requestView },
    });
  return async ({ operation, request }) => {
    output.supports("a dry run", recordFormats);
    const isWhole = baseUrl !== undefined && !sendsOnlyChanges(behaviour);
    if (operation === "group.update" && isWhole && !hasAdvised) {
      hasAdvised = true;
      await output.say(wholeRecord);
    }
    if (requests.length === 0 && baseUrl === undefined) {
      await output.say("To send this, start sendctl serve first");
    }
    requests.push({
      curl: curlLine(request(), readBaseUrl(baseUrl ?? localServerUrl, insecureHttp)),
    });
    throw new DryRunEnded(show);
  };
}
