import { kindOfReply } from "../output/exit-codes.ts";
import { refusalLine } from "../output/refusal.ts";
import { SendctlError } from "../contract/error.ts";
import { baseUrlSetting } from "../remote/http/base-url.ts";
import type { ServiceCheck } from "../remote/examine.ts";
import { fault, faultOf, fine, warning, type CheckResult } from "./check.ts";
import type { Check, CheckInput } from "./with-timeout.ts";

/** In milliseconds: by so much clocks may differ. */
const largestSkew = 60_000;

const leftOut = "not configured: the embedded engine is used";

/** The remote service, where one is used. */
export const serviceChecks: readonly Check[] = [
  { name: "proxy", look: lookAtProxy },
  { name: "base URL", look: lookAtService },
];

async function lookAtProxy({ settings, runtime }: CheckInput): Promise<readonly CheckResult[]> {
  const { baseUrl, insecureHttp } = settings;
  if (baseUrl === undefined) return [fine("proxy", leftOut)];
  const { describeProxy } = await import("../remote/examine.ts");
  try {
    return [fine("proxy", await describeProxy({ baseUrl, insecureHttp, env: runtime.env }))];
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    // The check that follows reports an invalid base URL.
    if (error.setting === baseUrlSetting) return [notLooked("proxy")];
    return [faultOf("proxy", error)];
  }
}

async function lookAtService(input: CheckInput): Promise<readonly CheckResult[]> {
  const { settings, runtime, timeout, signal, hide } = input;
  const { baseUrl, insecureHttp, secretKey } = settings;
  if (baseUrl === undefined) {
    return [fine("base URL", leftOut), fine("clock", leftOut)];
  }
  const { checkService, isSendable } = await import("../remote/examine.ts");
  const now = (): number => runtime.now() / 1000;
  const { env } = runtime;
  try {
    const { host, taken, ahead, reply } = await checkService({
      baseUrl,
      insecureHttp,
      env,
      key: secretKey,
      timeout,
      signal,
      now,
      elapsed: runtime.elapsed,
      hide,
    });
    return [
      reached(host, taken, reply),
      ...keyAccepted(secretKey, secretKey === undefined || isSendable(secretKey), reply),
      clock(ahead),
    ];
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    if (error.kind === "cancelled" || error.kind === "terminated") throw error;
    return [unreachable(error), notLooked("key accepted"), notLooked("clock")];
  }
}

function notLooked(name: string): CheckResult {
  return warning(name, "not checked: the service was not reached", null);
}

type Contacted = ServiceCheck["reply"];

const checkAddress = "check the base URL and the network, and that the service is up";
const checkPath = "correct the base URL: --base-url, SENDCTL_BASE_URL or the profile";

function unreachable(failure: SendctlError): CheckResult {
  return faultOf("base URL", failure, failure.kind === "unavailable" ? checkAddress : checkPath);
}

function reached(host: string, taken: number, reply: Contacted): CheckResult {
  const how = `${host} answers, in ${Math.max(1, Math.round(taken))} ms`;
  if (reply instanceof SendctlError) {
    return faultOf("base URL", reply, checkPath);
  }
  const { status, envelope } = reply;
  if (status >= 500) {
    const fix = "try again later, or ask whoever runs it";
    const detail = `${host} responded with HTTP ${status}: ${refusalLine(reply)}`;
    return fault("base URL", detail, fix, "unavailable");
  }
  if (status === 404 || (status >= 400 && envelope === undefined && !isRefusal(status))) {
    const detail = `${host} answers ${status}, and no service's list`;
    return fault("base URL", detail, checkPath, "unexpected_response");
  }
  return fine("base URL", how);
}

/** Statuses that a gateway before the service may answer in words of its own. */
function isRefusal(status: number): boolean {
  return [401, 403, 429].includes(status);
}

function keyAccepted(
  key: string | undefined,
  isSendable: boolean,
  reply: Contacted,
): readonly CheckResult[] {
  const name = "key accepted";
  const fix = "run `sendctl login`, or set SENDCTL_SECRET_KEY to a key of this service";
  if (key === undefined) return [];
  if (!isSendable) {
    const detail = "the key holds white space or characters that no header can carry";
    return [fault(name, detail, "set the key alone", "usage")];
  }
  if (reply instanceof SendctlError) return [warning(name, "not known: no service answered", null)];
  const kind = kindOfReply(reply);
  if (kind === undefined) return [fine(name, "the service answers it")];
  if (kind === "auth") {
    return [fault(name, `refused (HTTP ${reply.status}): ${refusalLine(reply)}`, fix, kind)];
  }
  if (kind === "rate_limited") {
    const wait = reply.retryAfter === undefined ? "" : `, for ${reply.retryAfter} s`;
    return [warning(name, `not known: rate limited${wait}`, "try again later")];
  }
  if (kind === "invalid") {
    const detail = `a list is refused (HTTP ${reply.status}): ${refusalLine(reply)}`;
    return [fault(name, detail, "see what `sendctl sender-id list` says", kind)];
  }
  return [warning(name, `not known: the service answers ${reply.status}`, null)];
}

function clock(ahead: number | undefined): CheckResult {
  if (ahead === undefined) return fine("clock", "the service does not tell the time");
  const seconds = Math.round(Math.abs(ahead) / 1000);
  if (Math.abs(ahead) <= largestSkew) return fine("clock", "agrees with the service's");
  const detail = `${seconds} s ${ahead > 0 ? "behind" : "ahead of"} the service's`;
  return warning("clock", detail, "set this machine's clock, best by a time service (NTP)");
}
