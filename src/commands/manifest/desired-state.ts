import type { Capabilities } from "../../cli/capabilities.ts";
import type { Service } from "../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { safeText } from "../../output/safe-text.ts";
import { diagnosticLimit, SendctlError, type Diagnostic } from "../../contract/error.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { Memory } from "../../plan/memory.ts";
import { createPlanner, type Plan } from "../../plan/plan.ts";
import type { FormatName } from "../../output/formats/formats.ts";
import { invalidValue, missing, wholeNumber } from "../arguments.ts";
import { readRecords } from "./read-records.ts";

/** Options of `diff` and `apply`. */
export interface DesiredStateOptions {
  readonly file?: readonly string[];
  readonly envPrefix?: string;
  readonly prune?: boolean;
  readonly replace?: boolean;
  readonly maxDeletes?: string;
  readonly resendSenderId?: boolean;
}

/** The formats of a plan. Its steps are of several kinds, which do not fit into rows or ids. */
const planFormats: readonly FormatName[] = ["table", "json", "jsonl", "yaml"];

/**
 * Returns the manifest, or an exit code after reporting why it is invalid.
 *
 * @param needsConfirmation whether the user will be asked to confirm the plan
 * @throws SendctlError "usage" for options that are missing, invalid or contradictory
 */
export async function readDesiredState(
  context: Capabilities,
  { file = [], envPrefix }: DesiredStateOptions,
  needsConfirmation: boolean,
): Promise<Manifest | ExitCode> {
  if (file.length === 0) throw missing("FILE", "pass a manifest, or - for standard input");
  if (file.includes("-") && needsConfirmation) {
    throw new SendctlError(
      "usage",
      "refusing to apply without confirmation: standard input is the manifest",
      { hint: "pass --yes, or pass the manifest as a file" },
    );
  }
  context.output.supports("a plan", planFormats);
  if (envPrefix !== undefined && !/^[A-Za-z_]\w*$/.test(envPrefix)) {
    throw invalidValue(
      "prefix",
      envPrefix,
      "--env-prefix",
      "use letters, digits and underscores, not beginning with a digit, such as MANIFEST_",
    );
  }
  return readManifest(context, file, envPrefix);
}

/**
 * Reads manifests, or returns an exit code after reporting why they are invalid.
 *
 * @param files paths from the arguments and `-f`
 */
export async function readManifest(
  context: Capabilities,
  files: readonly string[],
  envPrefix?: string,
): Promise<Manifest | ExitCode> {
  const read = await context.input.manifest(files, envPrefix);
  return "diagnostics" in read ? reportDiagnostics(context, read.diagnostics) : read.manifest;
}

/**
 * Returns the plan, or an exit code after reporting why there is none.
 *
 * @param memory what earlier applies have remembered (default: nothing)
 */
export async function makePlan(
  context: Capabilities,
  service: Service,
  manifest: Manifest,
  { prune = false, replace = false, resendSenderId = false }: DesiredStateOptions,
  memory?: Memory,
): Promise<Plan | ExitCode> {
  const options = { prune, replace, resendSenderId };
  const planner = createPlanner(manifest, options, memory, context.clock.now());
  const refusal = await readRecords(context, service, planner);
  if (refusal !== undefined) return context.output.refusal(refusal);
  const plan = planner.plan();
  return "diagnostics" in plan ? reportDiagnostics(context, plan.diagnostics, plan.kind) : plan;
}

/** Returns the value of --max-deletes. @throws SendctlError "usage" */
export function maxDeletesOf({ maxDeletes }: DesiredStateOptions): number {
  const number = wholeNumber(maxDeletes, "--max-deletes") ?? 5;
  if (number >= 0) return number;
  throw invalidValue("number", maxDeletes, "--max-deletes", "use 0 or more");
}

/** Reports each diagnostic on a separate line with its location. */
async function reportDiagnostics(
  context: Capabilities,
  diagnostics: readonly Diagnostic[],
  kind: "usage" | "conflict" = "usage",
): Promise<ExitCode> {
  const { length } = diagnostics;
  // Beyond the limit, the last diagnostic only counts the others.
  const number = length > diagnosticLimit ? `over ${diagnosticLimit}` : length;
  const count = length === 1 ? "1 error" : `${number} errors`;
  const message = `the manifest has ${count}, and nothing was sent`;
  const error = { kind, details: { faults: diagnostics } };
  await context.output.report({ message, data: null, error });
  const lines = diagnostics.map(({ file, line, column, message: text }) =>
    safeText(`${file}:${line}:${column}: ${text}`),
  );
  await context.output.complain([message, ...lines].join("\n"));
  return exitCodes[kind];
}
