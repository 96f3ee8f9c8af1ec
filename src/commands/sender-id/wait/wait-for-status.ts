import { parseDuration } from "../../../config/duration.ts";
import type { Capabilities } from "../../../cli/capabilities.ts";
import type { Output } from "../../../output/output.ts";
import { succeeded } from "../../../contract/service.ts";
import type { ExitCode } from "../../../output/exit-codes.ts";
import { SendctlError } from "../../../contract/error.ts";
import { safeText } from "../../../output/safe-text.ts";
import { emptyValue, invalidValue, recordKey, required, someSenderId } from "../../arguments.ts";
import { knownStatuses } from "../statuses.ts";
import { senderIdView, textOf } from "../../../output/views.ts";

export interface WaitOptions {
  readonly for?: string;
  /** Of the whole wait; that of one attempt is a global option, and stands before the verb. */
  readonly timeout?: string;
  readonly interval?: string;
}

const rejected = "REJECTED";

const defaultTimeout = "10m";

/** Milliseconds between looks without --interval: a review takes minutes or days, not seconds. */
const firstInterval = 1000;
const longestInterval = 30_000;
const growth = 1.5;

const outOfTime = Symbol("out of time");

/**
 * Looks at a sender ID until it has a status.
 *
 * @throws SendctlError "wait" when time runs out, or when it is REJECTED and another status is waited for;
 *   "cancelled" on Ctrl-C; "usage" for options that make no sense
 */
export async function waitForStatus(
  { service, output, ask, clock }: Pick<Capabilities, "service" | "output" | "ask" | "clock">,
  givenName: string | undefined,
  options: WaitOptions,
): Promise<ExitCode> {
  const { timeout: limit = defaultTimeout, interval } = options;
  const timeout = duration(limit, "--timeout");
  const fixed = interval === undefined ? undefined : duration(interval, "--interval");
  const name = await recordKey(ask, givenName, "NAME", someSenderId);
  const wanted = await required(ask, options.for, "--for STATUS", "Status to wait for");
  if (wanted.trim() === "") throw emptyValue("--for", "name a status");
  await warnOfStatus(output, wanted);
  const begun = clock.elapsed();
  // One clock for the whole wait: it ends a pause, and a look that takes too long.
  const ended = clock.sleep(timeout).then(() => outOfTime);
  ended.catch(() => {});
  const progress = output.progress();
  let status = "not known";
  try {
    for (let pause = fixed ?? firstInterval; ; pause = fixed ?? longer(pause)) {
      const reply = await Promise.race([service["sender-id.fetch"]({ path: { name } }), ended]);
      if (typeof reply === "symbol") throw tooLate(name, status, limit);
      if (!succeeded(reply)) {
        await progress.done();
        return await output.refusal(reply);
      }
      const record = reply.envelope!.data as { readonly status?: unknown };
      status = textOf(record.status);
      if (isSame(status, wanted)) {
        await progress.done();
        return await output.record(reply, senderIdView);
      }
      if (isSame(status, rejected)) {
        throw new SendctlError(
          "wait",
          `${named(name)} is ${status} and will not become ${safeText(wanted)}`,
        );
      }
      const waited = Math.round((clock.elapsed() - begun) / 1000);
      await progress.update(`${named(name)} is ${status} · ${waited}s of ${limit}`);
      if ((await Promise.race([clock.sleep(pause), ended])) === outOfTime) {
        throw tooLate(name, status, limit);
      }
    }
  } finally {
    await progress.done();
  }
}

function longer(pause: number): number {
  return Math.min(pause * growth, longestInterval);
}

function isSame(status: string, other: string): boolean {
  return status.toUpperCase() === other.toUpperCase();
}

function named(name: string): string {
  return `Sender ID ${safeText(name)}`;
}

function tooLate(name: string, status: string, limit: string): SendctlError {
  return new SendctlError("wait", `${named(name)} is ${status} after ${limit}`, {
    hint: "wait again, or longer with --timeout",
  });
}

function duration(text: string, option: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw invalidValue("duration", text, option, "write 500ms, 30s, 10m or 2h");
}

/** A status mistyped would be waited for in vain. */
async function warnOfStatus(output: Output, wanted: string): Promise<void> {
  if (knownStatuses.some((known) => isSame(known, wanted))) return;
  const known = knownStatuses.join(", ");
  await output.warn(`"${safeText(wanted)}" is no status that sendctl knows (${known})`);
}
