import type { TimedResponse } from "../perform.ts";

/** The offset of the service's clock from ours, in milliseconds: at least `lowest`, less than `highest`. */
interface OffsetBounds {
  readonly lowest: number;
  readonly highest: number;
}

/** What the Date headers of responses show about the clock of a service. */
export interface ServiceClock {
  /** Takes a response of the service. Those of a gateway have its own time. */
  readonly add: (response: TimedResponse) => void;
  /** Returns undefined if a response has no Date, or if two of them contradict each other. */
  readonly bounds: () => OffsetBounds | undefined;
  /** Whether two responses have different dates. A proxy may send the same one all the time. */
  readonly hasTicked: () => boolean;
}

/** Uncertainty that remains after all measurements, in milliseconds. */
export const tolerance = 45;

/** Resolution of the Date header, in milliseconds. */
const resolution = 1000;

/**
 * How long before the expected tick of the service's clock a request is sent, in milliseconds: the first one, and those
 * after one that was late.
 */
const firstEarly = 20;
const early = 40;

/** Difference between two readings of the same clock that does not show which was first, in milliseconds. */
const margin = 5;

/** Waits for a tick after such a request, in milliseconds. Together they are longer than a second. */
const waitsForTick = [40, 150, 300, 520];

/** Maximum number of requests that only measure the clock. */
const maxSamples = 6;

/**
 * Maximum time for them, in milliseconds. Usually one tick is enough, which takes up to 1.1 s. A service that takes long
 * for a create, or a busy machine, needs two more.
 */
const maxDuration = 3200;

export function createServiceClock(): ServiceClock {
  let lowest = -Infinity;
  let highest = Infinity;
  let isUsable = true;
  let first: number | undefined;
  let ticked = false;
  return {
    add: ({ headers, sentAt, endedAt }) => {
      const date = Date.parse(headers.date ?? "");
      if (Number.isNaN(date)) isUsable = false;
      first ??= date;
      ticked ||= date !== first;
      // The service wrote the date between the two times, and its clock was within the second that the date names.
      lowest = Math.max(lowest, date - endedAt);
      highest = Math.min(highest, date + resolution - sentAt);
      if (lowest > highest + tolerance) isUsable = false;
    },
    bounds: () => (isUsable && first !== undefined ? { lowest, highest } : undefined),
    hasTicked: () => ticked,
  };
}

interface Measuring {
  /** Milliseconds of `elapsed`. */
  readonly elapsed: () => number;
  /**
   * Sends a cheap request, whose response is added to the clock.
   *
   * @param delay returns how long to wait before it is sent, in milliseconds; called when it may be sent
   */
  readonly sample: (delay: () => number) => Promise<unknown>;
}

/**
 * Measures the clock of a service until it is known whether its offset exceeds `limit`. The Date header only has
 * seconds, so a request is sent shortly before the moment at which a clock with that offset would begin a second, and
 * others after it.
 *
 * @param limit offset in milliseconds
 */
export async function measureClock(
  clock: ServiceClock,
  limit: number,
  { elapsed, sample }: Measuring,
): Promise<void> {
  const startedAt = elapsed();
  let ticksAwaited = 0;
  for (let samples = 0; samples < maxSamples; samples += 1) {
    const bounds = clock.bounds();
    if (bounds === undefined || bounds.lowest > limit + margin) return;
    const isBelow = bounds.highest <= limit + tolerance;
    if (isBelow && clock.hasTicked()) return;
    const wait = waitsForTick[ticksAwaited];
    if (wait === undefined) return;
    if (isBelow) ticksAwaited += 1;
    const before = samples === 0 ? firstEarly : early;
    const untilTick = (): number => modulo(-limit - before - elapsed(), resolution);
    const delay = isBelow ? (): number => wait : untilTick;
    if (elapsed() + delay() - startedAt > maxDuration) return;
    await sample(delay);
  }
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
