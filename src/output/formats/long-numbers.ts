/** Matches a whole number in a literal of JMESPath that a double may not be able to hold. */
const longLiteral = /`\s*(-?\d{16,})\s*`/g;

/**
 * Prepares values with integers beyond 2^53, which are of type bigint, for a library that knows only doubles: each becomes a
 * double of its own, in the same order, and so do those of the expression.
 *
 * @returns the expression, and functions that convert a bigint of the values and a double of the result
 */
export function asDoubles(value: unknown, expression: string) {
  const found = new Set<bigint>();
  collect(value, found);
  if (found.size === 0) return { expression, toDouble: unchanged, toOriginal: unchanged };
  for (const [, digits] of expression.matchAll(longLiteral)) found.add(BigInt(digits!));
  const doubles = new Map<bigint, number>();
  let last = -Infinity;
  for (const integer of [...found].toSorted((a, b) => (a < b ? -1 : 1))) {
    const nearest = Number(integer);
    last = nearest > last ? nearest : last + Math.abs(last) * Number.EPSILON;
    doubles.set(integer, last);
  }
  const originals = new Map([...doubles].map(([integer, double]) => [double, integer]));
  return {
    expression: expression.replaceAll(
      longLiteral,
      (_, digits: string) => `\`${doubles.get(BigInt(digits))}\``,
    ),
    toDouble: (item: unknown): unknown => (typeof item === "bigint" ? doubles.get(item) : item),
    toOriginal: (item: unknown): unknown =>
      typeof item === "number" ? (originals.get(item) ?? item) : item,
  };
}

const unchanged = (leaf: unknown): unknown => leaf;

function collect(value: unknown, found: Set<bigint>): void {
  if (typeof value === "bigint") found.add(value);
  else if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) collect(item, found);
  }
}

/** Returns a value with its leaves converted; objects in which none changes stay the same. */
export function withLeaves(value: unknown, convert: (leaf: unknown) => unknown): unknown {
  if (typeof value !== "object" || value === null) return convert(value);
  const entries = Object.entries(value).map(
    ([key, item]) => [key, withLeaves(item, convert)] as const,
  );
  const isSame = entries.every(([key, item]) => (value as Record<string, unknown>)[key] === item);
  if (isSame) return value;
  if (Array.isArray(value)) return entries.map(([, item]) => item);
  return Object.assign(Object.create(null) as object, Object.fromEntries(entries));
}
