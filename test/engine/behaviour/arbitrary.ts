import * as fc from "fast-check";
import {
  contradictionsIn,
  switches,
  type PartialBehaviour,
  type SwitchValue,
} from "../../../src/contract/behaviour.ts";

const arbitraries: Record<string, fc.Arbitrary<SwitchValue>> = Object.fromEntries(
  Object.entries(switches).map(([name, one]) => [
    name,
    "values" in one
      ? fc.constantFrom<SwitchValue>(...one.values)
      : fc.integer({ min: one.min, max: one.max }),
  ]),
);

/** Behaviours with any switches that do not contradict each other. */
export const anyBehaviour: fc.Arbitrary<PartialBehaviour> = fc
  .record(arbitraries, { requiredKeys: [] })
  .map((given) => given as PartialBehaviour)
  .filter((given) => contradictionsIn(given).length === 0);
