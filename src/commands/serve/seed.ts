import type { Capabilities } from "../../command/capabilities.ts";
import { SendctlError } from "../../core/error.ts";
import { isSqliteFile } from "../../core/files.ts";
import type { Embedded } from "../../engine/embedded.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";

const desiredState = () => import("../manifest/desired-state.ts");

/** The first records of a temporary service: those of manifests or of a backup, or none. */
export interface Seed {
  readonly manifest?: Manifest;
  /** Path. */
  readonly backup?: string;
}

/**
 * Reads the files of `--seed`, or returns an exit code after reporting why a manifest is invalid.
 *
 * @throws SendctlError "usage" for a backup among several files, or a file that cannot be read
 */
export async function readSeed(
  context: Capabilities,
  files: readonly string[],
): Promise<Seed | ExitCode> {
  const [first] = files;
  if (first === undefined) return {};
  const backup = files.find((file) => isSqliteFile(context.input.path(file)));
  if (backup === undefined) {
    const manifest = await (await desiredState()).readManifest(context, files);
    return typeof manifest === "number" ? manifest : { manifest };
  }
  if (files.length === 1) return { backup };
  throw new SendctlError("usage", `--seed ${backup} is a backup, which has all records`, {
    hint: "pass it alone, or pass manifests only",
  });
}

/**
 * Creates the records of a seed in an empty service. Those of a backup are there already.
 *
 * @param step called after each record; an error that it throws stops the work
 * @returns the exit code; failures have been reported
 */
export async function fillFrom(
  context: Capabilities,
  engine: Embedded,
  { manifest }: Seed,
  step: () => void,
): Promise<ExitCode> {
  if (manifest === undefined) return exitCodes.done;
  const { fillService } = await desiredState();
  return fillService(context, await engine.service(undefined), manifest, step);
}
