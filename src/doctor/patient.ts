import type { Settings } from "../config/settings.ts";
import type { Failure } from "../failure.ts";
import type { World } from "../world.ts";
import type { Finding } from "./finding.ts";

/** What the checks look at. */
export interface Patient {
  readonly settings: Settings;
  /** What is wrong with the settings themselves, which are the defaults there. */
  readonly settingsFaults: readonly Failure[];
  readonly world: Pick<World, "env" | "home" | "now" | "elapsed">;
  /** How long each check may take, in milliseconds. */
  readonly patience: number;
  /** Stops whatever is under way. */
  readonly signal: AbortSignal;
  /** Takes out of a text what must never be shown. */
  readonly hide: (text: string) => string;
}

/** Looks at one thing, changes nothing, and has a word for whatever it finds. */
export interface Check {
  /** Of its finding, or of the first of them. */
  readonly name: string;
  readonly look: (patient: Patient) => Promise<readonly Finding[]> | readonly Finding[];
}
