import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createOccurrences } from "../../src/manifest/occurrences.ts";

test("finds exactly the texts that were added more than once", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 3 }), fc.constantFrom("", "a", "b"));
  const texts = fc.array(text, { size: "+1" });
  fc.assert(
    fc.property(texts, fc.boolean(), (some, isLong) => {
      // More than there is room for at first.
      const more = isLong ? Array.from({ length: 1100 }, (_, index) => `text ${index}`) : [];
      const all = [...some, ...more];
      const occurrences = createOccurrences();
      for (const one of all) occurrences.add(one);
      const counts = new Map<string, number>();
      for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
      for (const one of all) expect(occurrences.mayBeRepeated(one)).toBe(counts.get(one)! > 1);
      expect(occurrences.hasRepeated()).toBe(counts.size < all.length);
    }),
  );
});
