import type { Secrets } from "../output/secrets/secrets.ts";
import { createWriter, type Writer } from "../output/writer.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The writers are made before there are settings: a failure to find those has to be reported, too. */
export interface Writers {
  readonly out: Writer;
  readonly err: Writer;
}

export function createWriters(runtime: Runtime, secrets: Secrets): Writers {
  return {
    out: createWriter(() => runtime.stdout, { name: "standard output", isData: true }, secrets),
    err: createWriter(() => runtime.stderr, { name: "standard error", isData: false }, secrets),
  };
}

/** Columns of a terminal that does not say how many it has. */
export const defaultWidth = 80;
