import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createOccurrences } from "../../../src/manifest/export/occurrences.ts";

test("finds exactly the texts that were added once", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 3 }), fc.constantFrom("", "a", "b"));
  const texts = fc.array(fc.option(text, { nil: undefined }), { size: "+1" });
  fc.assert(
    fc.property(texts, fc.boolean(), (some, isLong) => {
      // More than an array has room for.
      const more = isLong ? Array.from({ length: 70_000 }, (_, index) => `text ${index}`) : [];
      const all = [...more, ...some];
      const occurrences = createOccurrences();
      for (const one of all) occurrences.add(one);
      const counts = new Map<string | undefined, number>();
      for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
      const isUnique = all.map((one) => one !== undefined && counts.get(one) === 1);
      expect(all.map((_, index) => occurrences.isUnique(index))).toStrictEqual(isUnique);
    }),
    { numRuns: 20 },
  );
});
