import type { Capabilities } from "../../../cli/capabilities.ts";
import { SendctlError } from "../../../contract/error.ts";
import { succeeded, type Reply } from "../../../contract/service.ts";
import { safeText } from "../../../output/safe-text.ts";
import { textOf } from "../../../output/views.ts";

/** The status to wait for, and the limits of the wait. */
export interface Wait {
  readonly wanted: string;
  /** The time limit of the whole wait as given: `10m`. */
  readonly limit: string;
  /** Milliseconds between requests; undefined for a growing pause. */
  readonly interval: number | undefined;
  /** Resolves when the time limit is reached, rejects on a signal. */
  readonly ended: Promise<void>;
  /** Start of the wait in milliseconds of the monotonic clock. */
  readonly begun: number;
}

const rejected = "REJECTED";

/** Milliseconds between requests without --interval: a review takes minutes or days, not seconds. */
const firstInterval = 1000;
const maxInterval = 30_000;
const growth = 1.5;

const outOfTime = Symbol("out of time");

/**
 * Fetches a sender ID until it has a status.
 *
 * @param update shows progress
 * @returns the reply with the record, or the service's refusal
 * @throws SendctlError "wait" at the time limit, or if the sender ID is REJECTED and that is not the wanted status
 */
export async function waitForOne(
  { service, clock }: Pick<Capabilities, "service" | "clock">,
  name: string,
  { wanted, limit, interval, begun, ...wait }: Wait,
  update?: (text: string) => Promise<void>,
): Promise<Reply> {
  const ended = wait.ended.then(() => outOfTime);
  ended.catch(() => {});
  let status: string | undefined;
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
        `${named(name)} is ${status} and cannot become ${safeText(wanted)}`,
      );
    }
    const waited = Math.round((clock.elapsed() - begun) / 1000);
    await update?.(`${named(name)} is ${status} · ${waited}s of ${limit}`);
    if ((await Promise.race([clock.sleep(pause), ended])) === outOfTime) {
      throw tooLate(name, status, limit);
    }
  }
}

/** Compares statuses, ignoring case. */
export function isSame(status: string, other: string): boolean {
  return status.toUpperCase() === other.toUpperCase();
}

function longer(pause: number): number {
  return Math.min(pause * growth, maxInterval);
}

function named(name: string): string {
  return `Sender ID ${safeText(name)}`;
}

function tooLate(name: string, status: string | undefined, limit: string): SendctlError {
  const message =
    status === undefined
      ? `${named(name)} could not be fetched within ${limit}`
      : `${named(name)} is still ${status} after ${limit}`;
  return new SendctlError("wait", message, { hint: "run it again, or pass a longer --timeout" });
}
