/** A histogram: numbers of values by size, and their sum. */
export interface Histogram {
  /** Upper bounds, ascending; a value that equals a bound is below it. */
  readonly bounds: readonly number[];
  /** Number of values by bound; the last is for values above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** Creates an empty histogram. */
export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
}

/** Adds a value to a histogram. */
export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  let index = 0;
  while (index < bounds.length && value > bounds[index]!) index += 1;
  counts[index]! += 1;
  histogram.sum += value;
}

/** Bounds of histograms of times, in seconds. */
export const secondsBounds: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** The connections of a pool. */
interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** Statements that wait for others on their connection. */
  readonly waiting: number;
}

/** What a store has done so far, for metrics. */
export interface StoreActivity {
  /** Numbers of writes that shared a transaction. */
  readonly batches: Histogram;
  /** Seconds that transactions waited for the lock of writers, including those that did not get it. */
  readonly lockWaits: Histogram;
  /** Returns the current connections; undefined for a store without a server. */
  readonly pool?: () => PoolState;
}

/** Creates the counts of a store that has done nothing. */
export function createActivity(): StoreActivity {
  const batches = createHistogram([1, 2, 5, 10, 20, 50, 100, 200, 500]);
  return { batches, lockWaits: createHistogram(secondsBounds) };
}
