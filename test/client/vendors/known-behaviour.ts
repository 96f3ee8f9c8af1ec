import { readFileSync } from "node:fs";
import { readBehaviour } from "../../../src/probe/behaviour-file.ts";
import type { PartialBehaviour } from "../../../src/contract/behaviour.ts";
import { writeConfig } from "../../support/config-file.ts";
import type { Trial } from "./try-command.ts";

/** The file of docs/behaviours that describes each of the three vendors. */
const behaviourFiles = {
  laravel: "laravel-style.yaml",
  gateway: "always-200-gateway.yaml",
  strict: "strict-gateway.yaml",
} as const;

export function readyMade(vendor: keyof typeof behaviourFiles): PartialBehaviour {
  const file = `docs/behaviours/${behaviourFiles[vendor]}`;
  return readBehaviour(readFileSync(file), file);
}

/** Stores a behaviour in the current profile, whose service is that of the trial. */
export async function know(trial: Trial, behaviour: PartialBehaviour): Promise<void> {
  const profile = { baseUrl: trial.vendor.baseUrl, secretKey: trial.vendor.key, behaviour };
  await writeConfig(trial, { current: "vendor", profiles: { vendor: profile } });
}
