import type { Microseconds } from "../store.ts";

/** So many are drawn at a time. */
const drawnAtOnce = 64;
const digitsEach = 20;

/**
 * Uuids that begin with the time, in milliseconds, and go on by chance, in the form of version 4. What is
 * created together then stands together in the index of uuids: 50 groups a transaction change one page
 * of it and not 50, which is twice as many durable creates a second.
 *
 * SQLite has its chance from the system as Node has, whose module for it takes 2 ms to load: more than a
 * group takes to be created.
 *
 * @param draw so many random bytes as digits, two for each, in lower case
 */
export function uuidsFrom(draw: (bytes: number) => string): (time: Microseconds) => string {
  let digits = "";
  return (time) => {
    if (digits === "") digits = draw((drawnAtOnce * digitsEach) / 2);
    const own = digits.slice(0, digitsEach);
    digits = digits.slice(digitsEach);
    const begun = Math.floor(time / 1000)
      .toString(16)
      .padStart(12, "0")
      .slice(-12);
    const variant = "89ab"[Number.parseInt(own[0]!, 16) % 4]!;
    return `${begun.slice(0, 8)}-${begun.slice(8)}-4${own.slice(1, 4)}-${variant}${own.slice(4, 7)}-${own.slice(8)}`;
  };
}
