import { describe, expect, test } from "vitest";
import type { StopSignal } from "../../src/runtime/run-program.ts";
import { stateOf } from "../remote/vendors/state.ts";
import { threeVendors } from "../remote/vendors/three-vendors.ts";
import { startVendor } from "../remote/vendors/vendor-service.ts";
import type { Switches } from "../remote/vendors/switches.ts";
import { runProbe, switchesOf, type ProbeRun } from "./run-probe.ts";
import { openUnreliableRelay, type Mishap } from "../remote/unreliable-relay.ts";

const groups = Array.from({ length: 30 }, (_, index) => ({ name: `Group ${index + 1}` }));
const senderIds = [{ name: "Acme" }];

/** The plain vendor without rate limit, and one whose lists lag and whose page numbers do nothing. */
const vendors = {
  plain: {},
  gateway: threeVendors.gateway,
} satisfies Readonly<Record<string, Partial<Switches>>>;

type VendorName = keyof typeof vendors;

/** Probes a vendor through a relay with one mishap. */
async function probeThrough(vendorName: VendorName, nth: number, mishap: Mishap) {
  const vendor = await startVendor(vendors[vendorName]);
  const senders: ((signal: StopSignal) => void)[] = [];
  const interrupt = (): void => senders.forEach((send) => send("SIGINT"));
  const relay = await openUnreliableRelay(vendor.baseUrl, nth, mishap, interrupt);
  try {
    vendor.seed({ senderIds, groups });
    const before = stateOf(vendor.records);
    const run = await runProbe(["probe", "--scratch-group", "--yes", "--json"], {
      baseUrl: relay.baseUrl,
      key: vendor.key,
      stopWith: (stop) => void senders.push(stop),
    });
    return { run, before, after: stateOf(vendor.records), count: relay.count() };
  } finally {
    await relay.close();
    await vendor.close();
  }
}

const timeout = { timeout: 240_000 };

/** Calls `check` for each request of a probe as the one with the mishap. */
async function everyRequest(
  vendorName: VendorName,
  mishap: Mishap,
  check: (run: ProbeRun, undisturbed: ProbeRun, nth: number) => void,
): Promise<void> {
  const undisturbed = await probeThrough(vendorName, 0, mishap);
  expect(undisturbed.count).toBeGreaterThan(40);
  for (let nth = 1; nth <= undisturbed.count; nth += 1) {
    const { run, before, after } = await probeThrough(vendorName, nth, mishap);
    expect(after, `request ${nth}: ${run.stderr}`).toStrictEqual(before);
    expect(run.stderr, `request ${nth}`).not.toContain("was not deleted");
    check(run, undisturbed.run, nth);
  }
}

const names = Object.keys(vendors) as readonly VendorName[];

describe.for(names)("%s", (name) => {
  test.for(["before", "after", "after, lost"] as const)(
    "a signal at each request (%s its response) ends the probe and leaves nothing",
    timeout,
    (mishap) =>
      everyRequest(name, mishap, (run, _, nth) => {
        expect(run.exitCode, `request ${nth}: ${run.stderr}`).toBe(130);
        expect(run.error?.kind).toBe("cancelled");
      }),
  );

  test.for(["dropped", "lost", "gateway page"] as const)(
    "each request in turn is %s: nothing is left, and no verdict is wrong",
    timeout,
    (mishap) =>
      everyRequest(name, mishap, (run, undisturbed, nth) => {
        expect(run.exitCode, `request ${nth}: ${run.stderr}`).toBe(0);
        const found = switchesOf(run);
        const wrong = Object.entries(switchesOf(undisturbed)).filter(
          ([switchName, value]) =>
            found[switchName] !== value && !String(found[switchName]).startsWith("unknown:"),
        );
        expect(wrong, `request ${nth}`).toStrictEqual([]);
      }),
  );
});
