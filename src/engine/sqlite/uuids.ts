/** So many are drawn at a time. */
const drawnAtOnce = 64;
const digitsEach = 32;

/**
 * Random uuids, version 4. SQLite has its chance from the system as Node has, whose module for it takes
 * 2 ms to load: more than a group takes to be created.
 *
 * @param draw so many random bytes as digits, two for each, in lower case
 */
export function uuidsFrom(draw: (bytes: number) => string): () => string {
  let digits = "";
  return () => {
    if (digits === "") digits = draw((drawnAtOnce * digitsEach) / 2);
    const own = digits.slice(0, digitsEach);
    digits = digits.slice(digitsEach);
    const variant = "89ab"[Number.parseInt(own[16]!, 16) % 4]!;
    return `${own.slice(0, 8)}-${own.slice(8, 12)}-4${own.slice(13, 16)}-${variant}${own.slice(17, 20)}-${own.slice(20)}`;
  };
}
