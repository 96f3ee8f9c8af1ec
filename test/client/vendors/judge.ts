import { violationsOf } from "../run-remote.ts";
import { argsOf, unless, usualSeed, type CommandCase } from "./command-case.ts";
import { manifestCases } from "./manifest-cases.ts";
import { recordCases } from "./record-cases.ts";
import { deltaOf, stateOf, type Delta } from "./state.ts";
import { plain, type Switches } from "./switches.ts";
import { withTrial, type Outcome, type StartTarget, type Trial } from "./try-command.ts";
import type { Handled } from "./vendor-service.ts";

/** Every command that works against a remote service. */
const everyCase: readonly CommandCase[] = [...recordCases, ...manifestCases];

/** The cases as rows of a table of tests. */
export const caseRows = everyCase.map((command) => [command.name, command] as const);

export function caseNamed(wanted: string): CommandCase {
  return everyCase.find(({ name }) => name === wanted)!;
}

/** A service with its records, before a command runs. */
export interface Situation {
  readonly switches?: Partial<Switches>;
  /** Number of groups (default: 4). */
  readonly groups?: number;
  readonly hasNamesakes?: boolean;
}

/** Runs an action against a service with the usual records. @param start as in `withTrial` */
export function inSituation<Result>(
  { switches = {}, groups = 4, hasNamesakes = false }: Situation,
  action: (trial: Trial) => Promise<Result>,
  start?: StartTarget,
): Promise<Result> {
  const seed = usualSeed({ ...plain, ...switches }, groups, hasNamesakes);
  return withTrial(switches, { seed, start }, action);
}

export interface Judged extends Outcome {
  /** Broken guarantees that hold whatever the service does; empty if there are none. */
  readonly problems: readonly string[];
}

/** Runs a command and judges its outcome. */
export async function judgedRun(
  trial: Trial,
  command: CommandCase,
  situation: Situation,
): Promise<Judged> {
  const switches = { ...plain, ...situation.switches };
  const before = stateOf(trial.vendor.records);
  const args = argsOf(command, before);
  const outcome = await trial.run(args, {
    ...(command.manifest === undefined ? {} : { manifest: command.manifest(before, switches) }),
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    ...(command.key === undefined ? {} : { key: command.key }),
  });
  return { ...outcome, problems: problemsOf(command, args, outcome, switches) };
}

function problemsOf(
  command: CommandCase,
  args: readonly string[],
  outcome: Outcome,
  switches: Switches,
): string[] {
  const { exitCode, before, after, requests } = outcome;
  const delta = deltaOf(before, after);
  const isChanged = Object.values(delta).some(({ length }) => length > 0);
  const isUnknown = exitCode === 9 || exitCode === 10;
  return [
    ...violationsOf({ ...outcome, waits: [] }, args),
    ...outcome.violations,
    ...tooMuch(delta, command),
    ...createdTwice(requests),
    ...invented([args, outcome.manifest, before], requests),
    ...(exitCode === 0 ? command.wrongSuccess(outcome, delta, switches) : []),
    ...unless(
      command.impossible?.includes(exitCode) !== true,
      `exit code ${exitCode} is wrong whatever the service does`,
    ),
    ...unless(
      exitCode === 0 || !isChanged || isUnknown || command.isPlan === true,
      `exit code ${exitCode}, although records changed`,
    ),
  ];
}

function tooMuch(delta: Delta, { maxChanges = {} }: CommandCase): string[] {
  return Object.entries(delta).flatMap(([what, { length }]) =>
    unless(length <= (maxChanges[what as keyof Delta] ?? 0), `${what}: ${length}`),
  );
}

/** Returns repeated creates. Only a rate-limited create may be sent again. */
function createdTwice(requests: readonly Handled[]): string[] {
  const creates = requests.filter(({ method, status }) => method === "POST" && status !== 429);
  const bodies = creates.map(({ path, body }) => `${path} ${body}`);
  const repeated = bodies.filter((body, index) => bodies.indexOf(body) < index);
  return repeated.map((body) => `sent twice: POST ${body}`);
}

/** Returns texts in requests that come neither from the user nor from the service. */
function invented(known: unknown, requests: readonly Handled[]): string[] {
  const written = JSON.stringify(known).replaceAll("\\", "");
  return requests.flatMap(({ body }) =>
    [...body.matchAll(/": ?"((?:[^"\\]|\\.)*)"/g)].flatMap(([, text = ""]) =>
      unless(written.includes(text.replaceAll("\\", "")), `sent without a source: ${text}`),
    ),
  );
}
