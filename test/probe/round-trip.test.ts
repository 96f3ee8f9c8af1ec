import { assert, asyncProperty } from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ownBehaviour,
  switches,
  switchNames as names,
  type Behaviour,
  type PartialBehaviour,
  type Switch,
  type SwitchName,
  type SwitchValue,
} from "../../src/contract/behaviour.ts";
import { readBehaviour } from "../../src/probe/behaviour-file.ts";
import { anyBehaviour } from "../engine/behaviour/arbitrary.ts";
import { cases, timeout } from "../support/fuzz-runs.ts";
import { servedBehaviour } from "./served-behaviour.ts";
import { runProbe, switchesOf } from "./run-probe.ts";

/** Returns the switches that no request can show, given the others. */
function hiddenBy(behaviour: Behaviour): SwitchName[] {
  return [
    ...(behaviour.error_status === "always_200" ? ["not_found_status" as const] : []),
    ...(behaviour.group_update_requires === "every_field" ? ["omitted_in_update" as const] : []),
  ];
}

/** Probes a server with a behaviour, and returns what the behaviour file should have and has. */
async function roundTrip(behaviour: Behaviour) {
  const served = await servedBehaviour(behaviour);
  try {
    const { baseUrl, key } = served;
    const run = await runProbe(["probe", "--scratch-group", "--yes", "--json"], { baseUrl, key });
    const hidden = new Set<string>(hiddenBy(behaviour));
    const found = switchesOf(run);
    const differences = names.filter((name) =>
      hidden.has(name)
        ? !String(found[name]).startsWith("unknown: not observable")
        : found[name] !== behaviour[name],
    );
    return {
      exitCode: run.exitCode,
      leftovers: run.data?.leftovers,
      groups: await served.groupCount(),
      differences: differences.map(
        (name) => `${name}: ${behaviour[name]}, found ${String(found[name])}`,
      ),
      stderr: run.stderr,
    };
  } finally {
    await served.close();
  }
}

const right = { exitCode: 0, leftovers: [], groups: 0, differences: [] };

describe("a probe finds every observable switch of a served behaviour", () => {
  test("random behaviours", { timeout: 10 * timeout.timeout }, () =>
    assert(
      asyncProperty(anyBehaviour, async (behaviour) => {
        const { stderr, ...found } = await roundTrip({ ...ownBehaviour, ...behaviour });
        expect(found, stderr).toStrictEqual(right);
      }),
      { ...cases(15), includeErrorInReport: true },
    ),
  );

  const single = names.flatMap((name) => {
    const one: Switch = switches[name];
    const values: readonly SwitchValue[] = "values" in one ? one.values : [one.min, one.max];
    const others = values.filter((value) => value !== ownBehaviour[name]);
    return others.map((value) => [name, value] as const);
  });

  test.for([["create_status", ownBehaviour.create_status] as const, ...single])(
    "%s: %s",
    timeout,
    async ([name, value]) => {
      // The default page size must not be larger than the largest one.
      const size = name === "per_page_max" ? { per_page_default: Math.min(15, Number(value)) } : {};
      const { stderr, ...found } = await roundTrip({ ...ownBehaviour, ...size, [name]: value });
      expect(found, stderr).toStrictEqual(right);
    },
  );
});

test("--output yaml is a behaviour file with what is known", async () => {
  const changed: PartialBehaviour = { create_status: 200, error_body: "problem", per_page_max: 77 };
  const served = await servedBehaviour(changed);
  try {
    const { baseUrl, key } = served;
    const run = await runProbe(["probe", "-o", "yaml"], { baseUrl, key });
    const file = readBehaviour(Buffer.from(run.stdout), "service.yaml");
    expect(file).toMatchObject({ error_body: "problem", per_page_max: 77 });
    expect(file).not.toHaveProperty("create_status");
  } finally {
    await served.close();
  }
});
