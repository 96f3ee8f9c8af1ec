import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quietRuntime, runMain } from "../../support/built-program.ts";
import { makeHome } from "../../support/home.ts";
import { key, type Run } from "../run-remote.ts";
import { createClock, type Clock } from "./clock.ts";
import type { Records, Seed } from "./records.ts";
import { stateOf, type State } from "./state.ts";
import type { Switches } from "./switches.ts";
import { startVendor, type Handled, type Vendor } from "./vendor-service.ts";
import { deleteFolder } from "../../support/quick-folder.ts";

type Ran = Omit<Run, "waits">;

/** The output of a command, and its effect on the service. */
export interface Outcome extends Ran {
  /** Requests of this command. */
  readonly requests: readonly Handled[];
  /** Their methods. */
  readonly methods: readonly string[];
  /** Their violations of the specification. */
  readonly violations: readonly string[];
  readonly before: State;
  readonly after: State;
  readonly manifest: object | undefined;
}

interface TryOptions {
  /** The whole standard input, in which KEY stands for the key. */
  readonly stdin?: string;
  /** The content of `manifest.json` in the folder of the command. */
  readonly manifest?: object;
  /** The base URL, if it is another one of the service. */
  readonly baseUrl?: string;
  readonly key?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A service and a folder whose files persist between commands. */
export interface Trial {
  readonly vendor: Vendor;
  readonly folder: string;
  readonly run: (args: readonly string[], options?: TryOptions) => Promise<Outcome>;
}

/** Runs sendctl in this process, with pipes as streams and a simulated clock. */
function runWithClock(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
  clock: Clock,
  stdin = "",
): Promise<Ran> {
  const { now, sleep } = clock;
  return runMain(args, {
    ...quietRuntime(folder, { ...env, HOME: folder, NO_COLOR: "1" }, stdin),
    now: () => now() * 1000,
    elapsed: now,
    random: () => 1,
    sleep,
  });
}

/** A service with the records of a vendor. */
interface Target {
  readonly baseUrl: string;
  readonly key: string;
  readonly state: () => State;
  readonly close: () => Promise<void>;
}

/** Starts a target. @param now milliseconds since 1970 */
export type StartTarget = (records: Records, now: () => number) => Promise<Target>;

/**
 * Runs an action with a service that has these records.
 *
 * @param start starts another service, which gets the requests
 */
export async function withTrial<Result>(
  switches: Partial<Switches>,
  { seed = {}, start }: { readonly seed?: Seed; readonly start?: StartTarget | undefined },
  action: (trial: Trial) => Promise<Result>,
): Promise<Result> {
  const clock = createClock();
  const now = (): number => {
    clock.stir();
    return clock.now();
  };
  const vendor = await startVendor(switches, { key, now });
  vendor.seed(seed);
  const { folder, env } = await makeHome();
  const own = { baseUrl: vendor.baseUrl, key, state: () => stateOf(vendor.records) };
  const target = { ...own, close: async () => {}, ...(await start?.(vendor.records, now)) };

  async function run(args: readonly string[], options: TryOptions = {}): Promise<Outcome> {
    const { manifest, baseUrl = target.baseUrl } = options;
    if (manifest !== undefined) {
      await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
    }
    const before = target.state();
    const [earlier, violations] = [vendor.requests.length, vendor.violations.length];
    const chosen = {
      ...options.env,
      SENDCTL_BASE_URL: baseUrl,
      SENDCTL_SECRET_KEY: options.key ?? target.key,
    };
    const stdin = options.stdin?.replace("KEY", target.key);
    const ran = await runWithClock(args, folder, { ...env, ...chosen }, clock, stdin);
    const requests = vendor.requests.slice(earlier);
    return {
      ...ran,
      requests,
      methods: requests.map(({ method }) => method),
      violations: vendor.violations.slice(violations),
      before,
      after: target.state(),
      manifest,
    };
  }

  try {
    return await action({ vendor, folder, run });
  } finally {
    await target.close();
    await vendor.close();
    deleteFolder(folder);
  }
}
