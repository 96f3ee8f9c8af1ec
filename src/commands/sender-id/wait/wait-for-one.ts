import type { Capabilities } from "../../../cli/capabilities.ts";
import { SendctlError } from "../../../contract/error.ts";
import { succeeded, type Reply } from "../../../contract/service.ts";
import { safeText } from "../../../output/safe-text.ts";
import { textOf } from "../../../output/views.ts";

/** What is waited for, and how long. */
export interface Wait {
  readonly wanted: string;
  /** The whole wait as it was given: `10m`. */
  readonly limit: string;
  /** Milliseconds between two requests; undefined for a pause that grows. */
  readonly interval: number | undefined;
  /** Fulfilled when time runs out, rejected at a signal. */
  readonly ended: Promise<void>;
  /** In milliseconds of the clock that is never set back. */
  readonly begun: number;
}

const rejected = "REJECTED";

/** Milliseconds between requests without --interval: a review takes minutes or days, not seconds. */
const firstInterval = 1000;
const longestInterval = 30_000;
const growth = 1.5;

const outOfTime = Symbol("out of time");

/**
 * Fetches a sender ID until it has a status.
 *
 * @param update shows progress, where it is to be shown
 * @returns the record, or a refusal as it came
 * @throws SendctlError "wait" when time runs out, or when it is REJECTED and another status is waited for
 */
export async function waitForOne(
  { service, clock }: Pick<Capabilities, "service" | "clock">,
  name: string,
  { wanted, limit, interval, begun, ...wait }: Wait,
  update?: (text: string) => Promise<void>,
): Promise<Reply> {
  const ended = wait.ended.then(() => outOfTime);
  ended.catch(() => {});
  let status = "not known";
  for (let pause = interval ?? firstInterval; ; pause = interval ?? longer(pause)) {
    const reply = await Promise.race([service["sender-id.fetch"]({ path: { name } }), ended]);
    if (typeof reply === "symbol") throw tooLate(name, status, limit);
    if (!succeeded(reply)) return reply;
    const record = reply.envelope!.data as { readonly status?: unknown };
    status = textOf(record.status);
    if (isSame(status, wanted)) return reply;
    if (isSame(status, rejected)) {
      throw new SendctlError(
        "wait",
        `${named(name)} is ${status} and will not become ${safeText(wanted)}`,
      );
    }
    const waited = Math.round((clock.elapsed() - begun) / 1000);
    await update?.(`${named(name)} is ${status} · ${waited}s of ${limit}`);
    if ((await Promise.race([clock.sleep(pause), ended])) === outOfTime) {
      throw tooLate(name, status, limit);
    }
  }
}

/** Compares statuses without regard to case. */
export function isSame(status: string, other: string): boolean {
  return status.toUpperCase() === other.toUpperCase();
}

function longer(pause: number): number {
  return Math.min(pause * growth, longestInterval);
}

function named(name: string): string {
  return `Sender ID ${safeText(name)}`;
}

function tooLate(name: string, status: string, limit: string): SendctlError {
  return new SendctlError("wait", `${named(name)} is ${status} after ${limit}`, {
    hint: "wait again, or longer with --timeout",
  });
}
