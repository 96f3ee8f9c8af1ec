import { constantFrom, integer, record, type Arbitrary } from "fast-check";
import {
  contradictionsIn,
  switches,
  type PartialBehaviour,
  type SwitchName,
} from "../../src/contract/behaviour.ts";

/** Generates behaviours with some of the switches and without contradictions. */
export const behaviours: Arbitrary<PartialBehaviour> = record(
  Object.fromEntries(
    (Object.keys(switches) as SwitchName[]).map((name) => {
      const one = switches[name];
      return [name, "values" in one ? constantFrom(...one.values) : integer(one)];
    }),
  ),
  { requiredKeys: [] },
).filter((behaviour) => contradictionsIn(behaviour).length === 0);
