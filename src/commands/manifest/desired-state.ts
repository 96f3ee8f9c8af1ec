import type { Session } from "../../command/session.ts";
import { flag, repeated, text, variadic, type Values } from "../../command/define-command.ts";
import {
  isAbsence,
  type RecordIdentity,
  type Reply,
  type Service,
  type ShownRecord,
} from "../../contract/service.ts";
import { exitCodeOfKind, exitCodes, type ExitCode } from "../../output/exit-codes.ts";
import { optionWords } from "../../config/target.ts";
import { countedErrors, SendctlError, type Diagnostic } from "../../core/error.ts";
import { type RecordKind, nouns } from "../../contract/resources.ts";
import { type Manifest, groupKey, idText, pathName } from "../../manifest/manifest.ts";
import { execute } from "../../manifest/plan/execute.ts";
import { type Memory, createPlanner, type Plan, type Planner } from "../../manifest/plan/plan.ts";
import { askForFile, invalidValue, missing } from "../../command/arguments.ts";
import { outcomeLine } from "./step-data.ts";
import { type ReviewedStep, isPlanFile, type PlannedState } from "./saved-plan.ts";
import { errorOfOutcomes, planFormats } from "./report.ts";
import { attempted, isRefusal } from "../../service/refusals.ts";
import type { Progress } from "../../output/status/progress.ts";
import { type RecordSink, totalText } from "../../service/lines.ts";
import { type List, type OwnView, readList } from "../../service/read-list.ts";

/** The manifests of `apply` and `diff`, in addition to those of `-f`. */
export const manifestFiles = {
  ...variadic("YAML or JSON manifests; - for standard input, a folder for all files in it", {
    takes: "file",
  }),
  name: "file",
};

/** Options of both `apply` and `diff`. */
export const planOptions = {
  file: repeated("-f, --file <file>", "manifest, same as the argument FILE; may be repeated", {
    takes: "file",
  }),
  envPrefix: text(
    "--env-prefix <prefix>",
    "read only environment variables whose names begin with this",
  ),
  prune: flag("--prune", "delete records missing from the manifest, for each section it has"),
  maxDeletes: text("--max-deletes <n>", "maximum number of records that --prune may delete", {
    default: "5",
  }),
  replace: flag("--replace", "delete and recreate sender IDs whose purpose differs"),
  resendSenderId: flag("--resend-sender-id", "send the sender ID of every group that has one"),
};

/** What a command compares a service with. */
export interface Desired extends PlannedState {
  /** The steps of a plan that a person has seen: only those are carried out. */
  readonly reviewed?: readonly ReviewedStep[];
}

/**
 * Reads the manifest.
 *
 * @param manifests paths from the arguments
 * @param needsConfirmation whether the user will be asked to confirm the plan
 * @throws SendctlError "usage" if it is invalid, or options are missing, invalid or contradictory
 */
export async function readDesiredState(
  context: Session,
  manifests: readonly string[],
  options: Values<typeof planOptions>,
  needsConfirmation: boolean,
): Promise<Desired> {
  const files = await givenFiles(context, manifests, options);
  if (files.includes("-") && needsConfirmation) {
    throw new SendctlError(
      "usage",
      "refusing to apply without confirmation: standard input is the manifest",
      { hint: "pass --yes, or pass the manifest as a file" },
    );
  }
  context.output.supports("a plan", planFormats);
  // What another service refuses is not known.
  const isStrict = context.config.settings.baseUrl === undefined;
  const manifest = await readManifest(context, files, options.envPrefix, isStrict);
  const { prune, replace, resendSenderId } = options;
  return { manifest, options: { prune, replace, resendSenderId } };
}

/**
 * Returns the paths of manifests, prompting for one if there are none.
 *
 * @throws SendctlError "usage" for none if it cannot prompt, or for a prefix that no variable has
 */
export async function givenFiles(
  context: Session,
  manifests: readonly string[],
  { file, envPrefix }: Pick<Values<typeof planOptions>, "file" | "envPrefix">,
): Promise<readonly string[]> {
  const given = [...manifests, ...file];
  const prompter = context.ask.prompter();
  if (given.length === 0 && prompter === undefined) {
    throw missing("FILE", "pass a manifest, or - for standard input");
  }
  if (envPrefix !== undefined && !/^[A-Za-z_]\w*$/.test(envPrefix)) {
    const hint =
      "use letters, digits and underscores, not beginning with a digit, such as MANIFEST_";
    throw invalidValue("prefix", envPrefix, "--env-prefix", hint);
  }
  return given.length > 0
    ? given
    : [await askForFile(prompter!, context, "Manifest file", "sendctl.yaml")];
}

/**
 * Reads manifests.
 *
 * @param files paths from the arguments and `-f`
 * @param isStrict whether to refuse what the embedded engine would refuse
 * @throws SendctlError "usage" with the diagnostics if they are invalid
 */
export async function readManifest(
  context: Session,
  files: readonly string[],
  envPrefix?: string,
  isStrict = false,
): Promise<Manifest> {
  const read = await context.input.manifest(files, envPrefix, { isStrict });
  if (!("diagnostics" in read)) return read.manifest;
  const { file } = read.diagnostics[0]!;
  if (await isPlanFile(file, context.input.path)) {
    const hint = context.ask.line(["apply", ...optionWords("--plan", file)]);
    throw new SendctlError("usage", `${file} is a saved plan, not a manifest`, { hint });
  }
  throw invalidManifest("usage", "is invalid", read.diagnostics);
}

/**
 * Reads the records that a plan needs, and makes it.
 *
 * @param memory what earlier applies have remembered (default: nothing)
 * @param isReviewed whether a person has seen the plan before
 * @throws SendctlError with the diagnostics if the manifest conflicts with the records
 */
export async function makePlan(
  context: Session,
  service: Service,
  { manifest, options }: PlannedState,
  memory: Memory = [],
  isReviewed = false,
): Promise<Plan> {
  const planner = createPlanner(manifest, options, memory);
  await readRecords(context, service, planner);
  const plan = planner.plan();
  if (!("diagnostics" in plan)) return plan;
  // A manifest that was reviewed was right.
  const kind = isReviewed ? "differences" : plan.kind;
  throw invalidManifest(kind, "conflicts with what exists on the service", plan.diagnostics);
}

/**
 * Creates the records of a manifest in an empty service.
 *
 * @param step called after each record; an error that it throws stops the work
 * @returns the exit code; failures have been reported
 */
export async function fillService(
  context: Session,
  service: Service,
  manifest: Manifest,
  step: () => void,
): Promise<ExitCode> {
  const options = { prune: false, replace: false, resendSenderId: false };
  const plan = await makePlan(context, service, { manifest, options });
  const { output } = context;
  const outcomes = await execute(plan.steps, {
    service,
    isListed: plan.isListed,
    warn: output.warn,
    report: async (outcome) => {
      step();
      if (outcome.result !== "done") await output.printError(outcomeLine(outcome, undefined));
    },
  });
  const error = errorOfOutcomes(outcomes);
  return error === undefined ? exitCodes.done : exitCodeOfKind(error.kind);
}

/** Returns the error for a manifest and its diagnostics. @param problem predicate: "is invalid" */
function invalidManifest(
  kind: "usage" | "conflict" | "differences",
  problem: string,
  diagnostics: readonly Diagnostic[],
): SendctlError {
  const message = `the manifest ${problem} (${countedErrors(diagnostics)}); nothing was sent`;
  return new SendctlError(kind, message, { diagnostics });
}

/** A consumer of the existing records that it needs. */
interface Reader extends Pick<Planner, "needs" | "take"> {
  /** Returns whether the sender_id of a group counts: only an engine in this process knows. */
  readonly needsSenderId?: (group: ShownRecord) => boolean;
}

/**
 * Passes all existing records to a reader once their list is complete. A record whose list item
 * lacks a field that the reader needs is fetched.
 *
 * @throws SendctlError "unexpected_response" for lists that keep changing while they are read, or a
 *   field that is never shown; Refusal
 */
export async function readRecords(
  { output, target, ask }: Pick<Session, "output" | "target" | "ask">,
  service: Service,
  reader: Reader,
): Promise<void> {
  const progress = output.progress();
  try {
    for (const kind of ["sender-id", "group"] as const) {
      if (reader.needs[kind] === undefined) continue;
      const records = await recordsOf(kind, service, await ask.ownView?.(kind), progress);
      for (const record of records) await take(kind, record, service, reader, target);
    }
  } finally {
    await progress.done();
  }
}

/**
 * Returns the records of a list, with what this user has just written. A new record that is not
 * listed yet is fetched; once the service shows it, the list is read again.
 */
async function recordsOf(
  kind: RecordKind,
  service: Service,
  view: OwnView | undefined,
  progress: Progress,
): Promise<readonly ShownRecord[]> {
  const list: List = (query) => service[`${kind}.list` as const]({ query });
  const read = async (): Promise<readonly ShownRecord[]> => {
    let held: ShownRecord[] = [];
    const sink: RecordSink = {
      add: async (lines) => {
        for (const { record } of lines) held.push(record);
      },
      clear: () => (held = []),
    };
    await readList(list, sink, {
      progress: (count, total) =>
        progress.update(`Reading ${nouns[kind]}s: ${count} of ${totalText(total)}`),
    });
    if (view === undefined) return held;
    return held.map(view.current).filter((record) => record !== undefined);
  };
  const current = await read();
  const unlisted = view?.unlisted() ?? [];
  if (unlisted.length === 0) return current;
  const fetched = await Promise.all(
    unlisted.map(async (record) => {
      // The response to a create may have a more precise time than is stored.
      const { id, uuid } = record;
      const reply = await attempted(fetchCurrent(kind, service, record, { id, uuid }));
      if (!isRefusal(reply)) return [recordIn(reply)];
      // Somebody has deleted it.
      if (isAbsence(reply.reply) === true) return [];
      throw reply;
    }),
  );
  const again = await read();
  const listed = new Set(again.map(({ id }) => String(id)));
  return [...fetched.flat().filter(({ id }) => !listed.has(String(id))), ...again];
}

/** Fetches a listed or new record. @throws SendctlError "differences" if it is not shown yet */
function fetchCurrent(
  kind: RecordKind,
  service: Service,
  record: ShownRecord,
  expected: RecordIdentity,
): Promise<Reply> {
  const expecting = { expected, isCurrent: true };
  return kind === "group"
    ? service["group.fetch"]({ path: { id: groupKey(record) }, ...expecting })
    : service["sender-id.fetch"]({ path: { name: pathName(record) }, ...expecting });
}

function recordIn({ envelope }: Reply): ShownRecord {
  return envelope!.data as ShownRecord;
}

/** Passes a record to a reader, with the fields that it needs. */
async function take(
  kind: RecordKind,
  listed: ShownRecord,
  service: Service,
  reader: Reader,
  { senderIdOf }: Session["target"],
): Promise<void> {
  const isComplete = missingIn(listed, reader.needs[kind]) === undefined;
  const record = isComplete
    ? listed
    : { ...listed, ...recordIn(await fetchCurrent(kind, service, listed, listed)) };
  const missing = missingIn(record, reader.needs[kind]);
  if (missing !== undefined) {
    throw new SendctlError(
      "unexpected_response",
      `the service does not show the ${missing} of the ${nouns[kind]} with id ${idText(record)}`,
    );
  }
  const isCompared = kind === "group" && reader.needsSenderId?.(record) === true;
  const sender_id = isCompared ? await senderIdOf(record) : undefined;
  // Some services always show null.
  const { sender_id: shown, ...others } = record;
  const known = shown === null ? others : record;
  reader.take(kind, sender_id === undefined ? known : { ...known, sender_id });
}

function missingIn(record: ShownRecord, fields: readonly string[] = []): string | undefined {
  return fields.find((field) => record[field] === undefined);
}
