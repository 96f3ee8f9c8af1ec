import { keyHint } from "../config/target.ts";
import { SendctlError, isStop } from "../core/error.ts";
import { shellWord } from "../core/text.ts";
import { isKeyOfGateway, kindOfReply, refusalLine } from "../service/refusals.ts";
import { succeeded, type Reply } from "../contract/service.ts";
import { baseUrlSetting } from "../client/http/route.ts";
import {
  failed,
  failedWith,
  ok,
  warning,
  type Check,
  type CheckInput,
  type Finding,
  type Findings,
} from "./check.ts";

const notChecked = warning("not checked: the service was not reached", null);

/** Checks the remote service, in remote mode. */
export const serviceChecks: readonly Check[] = [
  { name: "proxy", run: checkProxy },
  { name: "base URL", run: checkBaseUrl },
];

async function checkProxy({ settings, runtime }: CheckInput): Promise<Findings> {
  const { baseUrl, insecureHttp } = settings;
  if (baseUrl === undefined) return {};
  const { describeProxy } = await import("../client/examine.ts");
  try {
    return { proxy: ok(await describeProxy({ baseUrl, insecureHttp, env: runtime.env })) };
  } catch (error) {
    // The next check reports an invalid base URL.
    if (error instanceof SendctlError && error.field === baseUrlSetting) return {};
    throw error;
  }
}

async function checkBaseUrl(input: CheckInput): Promise<Findings> {
  const { settings, runtime, timeout, signal } = input;
  const { baseUrl, insecureHttp, secretKey: key } = settings;
  if (baseUrl === undefined) return {};
  const { checkService } = await import("../client/examine.ts");
  const { isSendable } = await import("../client/client.ts");
  const { env, elapsed } = runtime;
  const now = (): number => runtime.now() / 1000;
  try {
    const endpoint = { baseUrl, insecureHttp, env };
    const found = await checkService({ ...endpoint, key, timeout, signal, now, elapsed });
    const { host, duration, slashed } = found;
    const isSlashed = isOfService(slashed);
    const reply = isSlashed ? slashed : found.reply;
    return {
      "base URL": isSlashed ? slashedPaths(host) : reached(settings, host, duration, reply),
      ...(key !== undefined && { "key accepted": keyAccepted(settings, isSendable(key), reply) }),
    };
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    if (isStop(error.kind)) throw error;
    const fix = error.kind === "unavailable" ? checkAddress : checkPath(settings);
    return { "base URL": failedWith(error, fix), "key accepted": notChecked };
  }
}

type Contacted = Reply | SendctlError;

const checkAddress = "check the base URL and the network, and that the service is up";

/** Returns the finding for a service whose paths end with a slash, as those of some frameworks. */
function slashedPaths(host: string): Finding {
  return failed(
    `${host} has its lists at paths that end with a slash, unlike the specification`,
    "let the service respond at /v1/sender-id and /v1/group, too (Django: trailing_slash=False)",
    "unexpected_response",
  );
}

/** Returns whether the service itself has responded, with a list or because of the key. */
function isOfService(reply: Contacted | undefined): reply is Reply {
  if (reply === undefined || reply instanceof SendctlError) return false;
  return succeeded(reply) || (kindOfReply(reply) === "auth" && !isKeyOfGateway(reply));
}

/** Returns how to correct the base URL, where it is set. */
function checkPath({ baseUrl = "", profile, sources }: CheckInput["settings"]): string {
  // The path of each request begins with /v1, too.
  if (/\/v1\/*$/.test(baseUrl)) return "omit /v1 from the base URL";
  if (sources.baseUrl !== "profile") return "correct the base URL: --base-url or SENDCTL_BASE_URL";
  return `correct the base URL: sendctl login --profile ${shellWord(`${profile}`)} --base-url URL`;
}

/** Statuses that say nothing of the base URL. */
const isReached = new Set([401, 403, 429]);

function reached(
  settings: CheckInput["settings"],
  host: string,
  duration: number,
  reply: Contacted,
): Finding {
  if (reply instanceof SendctlError) return failedWith(reply, checkPath(settings));
  const { status, envelope } = reply;
  const kind = kindOfReply(reply);
  if (kind === undefined || isReached.has(status)) {
    return ok(`${host} responded in ${Math.max(1, Math.round(duration))} ms`);
  }
  const detail = `${host} refused the list of sender IDs (HTTP ${status}): ${refusalLine(reply)}`;
  const later = "try again later, or ask the operator of the service";
  if (status >= 500) return failed(detail, later, kind);
  const isForeign = status === 404 || envelope === undefined;
  return failed(detail, checkPath(settings), isForeign ? "unexpected_response" : kind);
}

function keyAccepted(
  settings: CheckInput["settings"],
  isUsable: boolean,
  reply: Contacted,
): Finding {
  if (!isUsable) {
    const detail = "the key contains white space or characters that a header cannot carry";
    return failed(detail, "set the key without other text", "usage");
  }
  if (reply instanceof SendctlError) return warning("not known: unexpected response", null);
  const kind = kindOfReply(reply);
  if (kind === undefined) return ok("by the service");
  const why = `(HTTP ${reply.status}): ${refusalLine(reply)}`;
  if (kind === "auth") return failed(`rejected ${why}`, keyHint(settings), kind);
  return warning(`not known ${why}`, null);
}
