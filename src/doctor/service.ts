import { keyHint } from "../config/target-name.ts";
import { kindOfReply } from "../output/exit-codes.ts";
import { refusalLine } from "../output/refusal.ts";
import { SendctlError } from "../contract/error.ts";
import { baseUrlSetting } from "../remote/http/base-url.ts";
import type { ServiceCheck } from "../remote/examine.ts";
import { failed, failedWith, ok, warning, type CheckResult } from "./check-result.ts";
import type { Check, CheckInput } from "./check.ts";

/** The largest difference between the clocks that is not reported, in milliseconds. */
const maxSkew = 60_000;

const notConfigured = "not configured: the embedded engine is used";

/** Checks the remote service, in remote mode. */
export const serviceChecks: readonly Check[] = [
  { name: "proxy", run: checkProxy },
  { name: "base URL", run: checkService },
];

async function checkProxy({ settings, runtime }: CheckInput): Promise<readonly CheckResult[]> {
  const { baseUrl, insecureHttp } = settings;
  if (baseUrl === undefined) return [ok("proxy", notConfigured)];
  const { describeProxy } = await import("../remote/examine.ts");
  try {
    return [ok("proxy", await describeProxy({ baseUrl, insecureHttp, env: runtime.env }))];
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    // The next check reports an invalid base URL.
    if (error.setting === baseUrlSetting) return [notChecked("proxy")];
    return [failedWith("proxy", error)];
  }
}

async function checkService(input: CheckInput): Promise<readonly CheckResult[]> {
  const { settings, runtime, timeout, signal, hide } = input;
  const { baseUrl, insecureHttp, secretKey } = settings;
  if (baseUrl === undefined) {
    return [ok("base URL", notConfigured), ok("clock", notConfigured)];
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
      ...keyAccepted(settings, secretKey === undefined || isSendable(secretKey), reply),
      clock(ahead),
    ];
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    if (error.kind === "cancelled" || error.kind === "terminated") throw error;
    return [unreachable(error), notChecked("key accepted"), notChecked("clock")];
  }
}

function notChecked(name: string): CheckResult {
  return warning(name, "not checked: the service was not reached", null);
}

type Contacted = ServiceCheck["reply"];

const checkAddress = "check the base URL and the network, and that the service is up";
const checkPath = "correct the base URL: --base-url, SENDCTL_BASE_URL or the profile";

function unreachable(failure: SendctlError): CheckResult {
  return failedWith("base URL", failure, failure.kind === "unavailable" ? checkAddress : checkPath);
}

function reached(host: string, taken: number, reply: Contacted): CheckResult {
  if (reply instanceof SendctlError) {
    return failedWith("base URL", reply, checkPath);
  }
  const { status, envelope } = reply;
  if (status >= 500) {
    const fix = "try again later, or ask the operator of the service";
    const detail = `${host} responded with HTTP ${status}: ${refusalLine(reply)}`;
    return failed("base URL", detail, fix, "unavailable");
  }
  if (status === 404 || (status >= 400 && envelope === undefined && !isRefusal(status))) {
    const detail = `unexpected response from ${host} (HTTP ${status}): not a list of sender IDs`;
    return failed("base URL", detail, checkPath, "unexpected_response");
  }
  return ok("base URL", `${host} responded in ${Math.max(1, Math.round(taken))} ms`);
}

/** Returns whether a gateway in front of the service may respond with this status and a body of its own. */
function isRefusal(status: number): boolean {
  return [401, 403, 429].includes(status);
}

function keyAccepted(
  settings: CheckInput["settings"],
  isSendable: boolean,
  reply: Contacted,
): readonly CheckResult[] {
  const name = "key accepted";
  if (settings.secretKey === undefined) return [];
  if (!isSendable) {
    const detail = "the key contains white space or characters that a header cannot carry";
    return [failed(name, detail, "set the key without other text", "usage")];
  }
  if (reply instanceof SendctlError) return [warning(name, "not known: unexpected response", null)];
  const kind = kindOfReply(reply);
  if (kind === undefined) return [ok(name, "by the service")];
  if (kind === "auth") {
    const detail = `rejected (HTTP ${reply.status}): ${refusalLine(reply)}`;
    return [failed(name, detail, keyHint(settings), kind)];
  }
  if (kind === "rate_limited") {
    const wait = reply.retryAfter === undefined ? "" : ` for ${reply.retryAfter} s`;
    return [warning(name, `not known: rate limited${wait}`, "try again later")];
  }
  if (kind === "invalid") {
    const detail = `the list of sender IDs was refused (HTTP ${reply.status}): ${refusalLine(reply)}`;
    return [failed(name, detail, "run `sendctl sender-id list`", kind)];
  }
  return [warning(name, `not known: HTTP ${reply.status}`, null)];
}

function clock(ahead: number | undefined): CheckResult {
  if (ahead === undefined) return ok("clock", "not known: the service sends no date");
  const seconds = Math.round(Math.abs(ahead) / 1000);
  if (Math.abs(ahead) <= maxSkew) return ok("clock", "matches the clock of the service");
  const detail = `${seconds} s ${ahead > 0 ? "behind" : "ahead of"} the clock of the service`;
  return warning("clock", detail, "set the clock of this machine, for example with NTP");
}
