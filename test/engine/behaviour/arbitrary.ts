import * as fc from "fast-check";
import {
  contradictionsIn,
  switches,
  type PartialBehaviour,
  type SwitchName,
  type SwitchValue,
} from "../../../src/contract/behaviour.ts";

/** Behaviours with any values of some switches. */
function anyOf(names: readonly SwitchName[]): fc.Arbitrary<PartialBehaviour> {
  const arbitraries = names.map((name): [string, fc.Arbitrary<SwitchValue>] => {
    const one = switches[name];
    const value =
      "values" in one
        ? fc.constantFrom<SwitchValue>(...one.values)
        : fc.integer({ min: one.min, max: one.max });
    return [name, value];
  });
  return fc.record(Object.fromEntries(arbitraries), { requiredKeys: [] });
}

const names = Object.keys(switches) as SwitchName[];

/** A service that responds with 200 always has no other statuses of refusals. */
const always200 = anyOf(names.filter((name) => switches[name].ruling !== 3)).map(
  (given): PartialBehaviour => ({ ...given, error_status: "always_200" }),
);

/** Behaviours with any switches that do not contradict each other. */
export const anyBehaviour: fc.Arbitrary<PartialBehaviour> = fc
  .oneof({ weight: 3, arbitrary: anyOf(names) }, { weight: 1, arbitrary: always200 })
  .filter((given) => contradictionsIn(given).length === 0);
