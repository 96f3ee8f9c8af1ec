import * as fc from "fast-check";
import { expect, test } from "vitest";
import { descendingIds } from "../../src/service/descending-ids.ts";

const other = fc.constantFrom(0.5, 2 ** 53, Number.NaN, 5n, "4", undefined);
const id = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: -9, max: 9 }) }, other);

test("accepts whole numbers below all others, and remembers exactly these", () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 30 }), fc.array(id), (given, others) => {
      const ids = descendingIds();
      let lowest = Infinity;
      const expected = given.filter((one): one is number => {
        const isBelow = Number.isSafeInteger(one) && (one as number) < lowest;
        if (isBelow) lowest = one as number;
        return isBelow;
      });
      expect(given.filter((one) => ids.add(one))).toStrictEqual(expected);
      expect(ids.count()).toBe(expected.length);
      for (const one of [...given, ...others]) {
        expect(ids.has(one)).toBe(expected.includes(one as number));
      }
    }),
  );
});
