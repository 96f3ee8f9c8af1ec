import { resolve } from "node:path";
import { SendctlError, type Diagnostic } from "../core/error.ts";
import { isSqliteFile } from "../core/files.ts";
import { visibleText } from "../core/text.ts";
import type { Embedded } from "../engine/embedded.ts";
import type { Store } from "../engine/store/store.ts";
import { throwingRefusals } from "../service/refusals.ts";
import { nouns } from "../contract/resources.ts";
import { type Manifest } from "../manifest/manifest.ts";
import { readManifest, readSources } from "../manifest/read.ts";
import { execute } from "../manifest/plan/execute.ts";
import { createPlanner } from "../manifest/plan/plan.ts";
import { locationText } from "../core/yaml/nodes.ts";

/**
 * Reads a seed: a manifest, or the absolute path of a backup.
 *
 * @throws SendctlError "usage" with the field `seed`
 */
export async function readSeedFile(
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<Manifest | string> {
  if (isSqliteFile(resolve(path))) return resolve(path);
  const sources = await reading(() => readSources([path], "", async () => new Uint8Array()));
  const read = readManifest(sources, env);
  if ("manifest" in read) return read.manifest;
  throw errorIn(read.diagnostics, "seed");
}

/** Opens a Store on a copy of a backup in memory. @throws SendctlError with the field `seed` */
export function openBackup(file: string, now: () => number): Promise<Store> {
  return reading(async () => {
    const { openBackupStore } = await import("../engine/sqlite/backup.ts");
    return openBackupStore(file, now);
  });
}

/** Reads a file of the seed. @throws its error, with the field `seed` */
async function reading<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SendctlError)) throw error;
    const { kind, message, hint } = error;
    throw new SendctlError(kind, `seed: ${message}`, { hint, field: "seed", cause: error });
  }
}

/**
 * Creates the records of a manifest in an empty service.
 *
 * @throws SendctlError "usage" with the field for a record that the service refuses
 */
export async function fill(engine: Embedded, manifest: Manifest): Promise<void> {
  const service = throwingRefusals(engine.firstService());
  const options = { prune: false, replace: false, resendSenderId: false };
  const planned = createPlanner(manifest, options).plan();
  if ("diagnostics" in planned) throw errorIn(planned.diagnostics, "seed");
  const outcomes = await execute(planned.steps, {
    service,
    isListed: planned.isListed,
    warn: async () => {},
    report: async () => {},
  });
  for (const { step, result, error } of outcomes) {
    // Every step of a plan for an empty service creates a record.
    if (result === "done" || error === undefined || step.action !== "create") continue;
    const message = `${nouns[step.kind]} not created: ${visibleText(error.message)}`;
    throw errorIn([{ message, ...step.desired.location }], "seed");
  }
}

/** Returns the error for a file with these diagnostics. @param field the option that names it */
export function errorIn([first, ...others]: readonly Diagnostic[], field: string): SendctlError {
  const { file, message } = first!;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  const problem = `${locationText(first!)}: ${message}${more}`;
  return new SendctlError("usage", `${field}: ${problem}`, { field, file });
}
