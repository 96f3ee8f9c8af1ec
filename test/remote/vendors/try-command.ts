import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeHome } from "../../support/home.ts";
import { key } from "../run-remote.ts";
import { createClock } from "./clock.ts";
import { runInProcess, type Ran } from "./run-in-process.ts";
import { stateOf, type State } from "./state.ts";
import type { Switches } from "./switches.ts";
import { startVendor, type Handled, type Seed, type Vendor } from "./vendor-service.ts";

/** The output of a command, and its effect on the service. */
export interface Outcome extends Ran {
  /** Requests of this command. */
  readonly requests: readonly Handled[];
  /** Their violations of the specification. */
  readonly violations: readonly string[];
  readonly before: State;
  readonly after: State;
  readonly manifest: object | undefined;
}

interface TryOptions {
  /** The whole standard input; not supported for the built program. */
  readonly stdin?: string;
  /** The content of `manifest.json` in the folder of the command. */
  readonly manifest?: object;
  /** The base URL, if it is that of a relay. */
  readonly baseUrl?: string;
  readonly key?: string;
}

/** A service and a folder whose files persist between commands. */
export interface Trial {
  readonly vendor: Vendor;
  readonly folder: string;
  readonly run: (args: readonly string[], options?: TryOptions) => Promise<Outcome>;
  readonly close: () => Promise<void>;
}

interface TrialOptions {
  readonly seed?: Seed;
  /** Runs the built program with the real clock, instead of `main` in this process. */
  readonly isBuilt?: boolean;
}

async function openTrial(
  switches: Partial<Switches>,
  { seed = {}, isBuilt = false }: TrialOptions = {},
): Promise<Trial> {
  const clock = createClock();
  const now = (): number => {
    clock.stir();
    return clock.now();
  };
  const vendor = await startVendor(switches, isBuilt ? { key } : { key, now });
  vendor.seed(seed);
  const home = await makeHome();

  async function run(args: readonly string[], options: TryOptions = {}): Promise<Outcome> {
    if (options.manifest !== undefined) {
      await writeFile(join(home.folder, "manifest.json"), JSON.stringify(options.manifest));
    }
    const before = stateOf(vendor.records);
    const [requests, violations] = [vendor.requests.length, vendor.violations.length];
    const env = {
      SENDCTL_BASE_URL: options.baseUrl ?? vendor.baseUrl,
      SENDCTL_SECRET_KEY: options.key ?? vendor.key,
      NO_COLOR: "1",
    };
    const stdin = options.stdin ?? "";
    const ran = isBuilt
      ? await home.run(args, env)
      : await runInProcess(args, {
          folder: home.folder,
          env: { ...home.env, ...env },
          stdin,
          clock,
        });
    return {
      ...ran,
      exitCode: ran.exitCode ?? -1,
      requests: vendor.requests.slice(requests),
      violations: vendor.violations.slice(violations),
      before,
      after: stateOf(vendor.records),
      manifest: options.manifest,
    };
  }

  return {
    vendor,
    folder: home.folder,
    run,
    close: async () => {
      await vendor.close();
      await rm(home.folder, { recursive: true, force: true });
    },
  };
}

/** Runs an action with a trial, and closes it afterwards. */
export async function withTrial<Result>(
  switches: Partial<Switches>,
  options: TrialOptions,
  action: (trial: Trial) => Promise<Result>,
): Promise<Result> {
  const trial = await openTrial(switches, options);
  try {
    return await action(trial);
  } finally {
    await trial.close();
  }
}
