import type { Secrets } from "../output/secrets.ts";
import { createWriter, type Writer } from "../output/writer.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The writers are made before there are settings: a failure to find those has to be reported, too. */
export interface Writers {
  readonly out: Writer;
  readonly err: Writer;
}

export function createWriters(runtime: Runtime, { hide }: Secrets): Writers {
  return {
    out: createWriter(() => runtime.stdout, "standard output", hide, true),
    err: createWriter(() => runtime.stderr, "standard error", hide, false),
  };
}

/** Columns of a terminal that does not say how many it has. */
export const widthUntold = 80;
