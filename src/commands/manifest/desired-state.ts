import type { Capabilities } from "../../cli/capabilities.ts";
import type { Reply, Service } from "../../contract/service.ts";
import { exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { SendctlError } from "../../contract/error.ts";
import { safeText } from "../../output/safe-text.ts";
import { diagnosticLimit } from "../../manifest/limits.ts";
import type { Diagnostic, Manifest } from "../../manifest/manifest.ts";
import { emptyMemory, type Memory } from "../../plan/memory.ts";
import { createPlanner, type Plan, type Planner, type PlanOptions } from "../../plan/plan.ts";
import { takeUnlisted, watching } from "../../plan/unlisted.ts";
import type { FormatName } from "../../output/formats/formats.ts";
import { invalidValue, missing, wholeNumber } from "../arguments.ts";
import type { Progress } from "../../output/progress.ts";
import { streamList } from "../../service/stream-list.ts";
import type { List } from "../../service/pages.ts";

/** What `diff` and `apply` take. */
export interface DesiredStateOptions {
  readonly file?: readonly string[];
  readonly envPrefix?: string;
  readonly prune?: boolean;
  readonly replace?: boolean;
  readonly maxDeletes?: string;
  readonly resendSenderId?: boolean;
}

/** A plan consists of steps of several kinds, which no row or id could show. */
const planFormats: readonly FormatName[] = ["table", "json", "jsonl", "yaml"];

/** A list that changes while it is read is read again, so many times in all. */
const passes = 3;

/**
 * Returns a manifest, or the exit code once the reason why there is none has been shown.
 *
 * @param needsAnswer whether a person will be asked something
 */
export async function readDesiredState(
  context: Capabilities,
  { file = [], envPrefix }: DesiredStateOptions,
  needsAnswer: boolean,
): Promise<Manifest | ExitCode> {
  if (file.length === 0) throw missing("FILE", "name a manifest, or - for standard input");
  if (file.includes("-") && needsAnswer) {
    throw new SendctlError("usage", "standard input is the manifest, so nobody can be asked", {
      hint: "pass --yes, or name a file",
    });
  }
  context.output.supports("a plan", planFormats);
  if (envPrefix !== undefined && !/^[A-Za-z_]\w*$/.test(envPrefix)) {
    throw new SendctlError("usage", `--env-prefix "${envPrefix}" begins no variable's name`, {
      hint: "pass letters, digits and underscores, such as MANIFEST_",
      setting: "--env-prefix",
    });
  }
  return readManifest(context, file, envPrefix);
}

/** @param files as arguments and `-f` name them */
export async function readManifest(
  context: Capabilities,
  files: readonly string[],
  envPrefix?: string,
): Promise<Manifest | ExitCode> {
  const read = await context.input.manifest(files, envPrefix);
  return "diagnostics" in read ? reportDiagnostics(context, read.diagnostics) : read.manifest;
}

/**
 * Returns what has to be done, or the exit code once the reason why that is unknown has been shown.
 *
 * @param memory what the last apply left behind; without it, nothing
 */
export async function makePlan(
  context: Capabilities,
  service: Service,
  manifest: Manifest,
  options: PlanOptions,
  memory?: Memory,
): Promise<Plan | ExitCode> {
  const planner = await readRecords(context, service, () =>
    watching(createPlanner(manifest, options, memory), memory ?? emptyMemory, context.clock.now()),
  );
  if (typeof planner === "number") return planner;
  const failure = await takeUnlisted(planner, service, context.clock);
  if (failure !== undefined) return context.output.refusal(failure);
  const plan = planner.plan();
  return "diagnostics" in plan ? reportDiagnostics(context, plan.diagnostics) : plan;
}

/** Whoever is given every record that they need. */
export type Reader = Pick<Planner, "needs" | "takeSenderId" | "takeGroup">;

/**
 * Gives a reader all records that there are, or tells why they can't be had.
 *
 * @param begin makes a reader; again where the lists changed while they were read
 * @throws SendctlError "unexpected_response" for lists that change faster than they can be read
 */
export async function readRecords<Made extends Reader>(
  context: Capabilities,
  service: Service,
  begin: () => Made,
): Promise<Made | ExitCode> {
  const progress = context.output.progress();
  try {
    for (let pass = 1; ; pass += 1) {
      const reader = begin();
      const { needs, takeSenderId, takeGroup } = reader;
      try {
        const refusal =
          (needs.senderIds
            ? await take(
                (query) => service["sender-id.list"]({ query }),
                takeSenderId,
                progress,
                "sender IDs",
              )
            : undefined) ??
          (needs.groups
            ? await take((query) => service["group.list"]({ query }), takeGroup, progress, "groups")
            : undefined);
        if (refusal === undefined) return reader;
        await progress.done();
        return await context.output.refusal(refusal);
      } catch (error) {
        const isChanging =
          error instanceof SendctlError && error.kind === "unexpected_response" && pass < passes;
        if (!isChanging) throw error;
      }
    }
  } finally {
    await progress.done();
  }
}

/** Every record of a list; a refusal, where there is one. */
async function take(
  list: List,
  record: Planner["takeGroup"],
  progress: Progress,
  what: string,
): Promise<Reply | undefined> {
  const streamed = await streamList(list, undefined, async (lines, { count, total }) => {
    for (const line of lines) record(line.record);
    await progress.update(`Reading ${what}: ${count} of ${total}`);
  });
  return "refusal" in streamed ? streamed.refusal : undefined;
}

/** @throws SendctlError "usage" */
export function mostDeletes({ maxDeletes }: DesiredStateOptions): number {
  const number = wholeNumber(maxDeletes, "--max-deletes") ?? 5;
  if (number >= 0) return number;
  throw invalidValue("number", maxDeletes, "--max-deletes", "use 0 or more");
}

/** Reports every diagnostic with its location, on a line of its own. */
async function reportDiagnostics(
  context: Capabilities,
  faults: readonly Diagnostic[],
): Promise<ExitCode> {
  const { length } = faults;
  // What is over the limit is one line that says how many there are.
  const number = length > diagnosticLimit ? `over ${diagnosticLimit}` : length;
  const count = length === 1 ? "1 error" : `${number} errors`;
  const message = `the manifest has ${count}, and nothing was sent`;
  const error = { kind: "usage", details: { faults } } as const;
  await context.output.report({ message, data: null, error });
  const lines = faults.map(({ file, line, column, message: text }) =>
    safeText(`${file}:${line}:${column}: ${text}`),
  );
  await context.output.complain([message, ...lines].join("\n"));
  return exitCodes.usage;
}
