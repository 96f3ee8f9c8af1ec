import { SendctlError, isStop } from "../core/error.ts";
import {
  failed,
  failedWith,
  type Check,
  type CheckInput,
  type CheckResult,
  type Findings,
} from "./check.ts";
import { databaseChecks, installationChecks } from "./installation.ts";
import { serviceChecks } from "./service.ts";

/** Returns the checks of a target, in an order in which later ones depend on earlier ones. */
const checksOf = ({ settings }: CheckInput): readonly Check[] => [
  ...installationChecks,
  ...(settings.baseUrl === undefined ? databaseChecks : serviceChecks),
];

/** The longest time limit of a check, in milliseconds. */
export const maxCheckTimeout = 5000;

/**
 * Runs every check, whatever the others find.
 *
 * @throws SendctlError "cancelled" or "terminated", and nothing else
 */
export async function diagnose(input: CheckInput): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  // In sequence: SQLite blocks the event loop, and a response would seem to come late.
  for (const check of checksOf(input)) {
    for (const [name, found] of Object.entries(await runCheck(check, input))) {
      results.push(...[found].flat().map((finding) => ({ name, ...finding })));
    }
  }
  return results;
}

/** Runs a check within its time limit. An error is its result, and the others still run. */
async function runCheck({ name, run }: Check, input: CheckInput): Promise<Findings> {
  try {
    return await run(input);
  } catch (error) {
    if (error instanceof SendctlError) {
      if (isStop(error.kind)) throw error;
      return { [name]: failedWith(error) };
    }
    const detail = `the check failed: ${(error as Error).message}`;
    return { [name]: failed(detail, "report it as a defect in sendctl", "defect") };
  }
}
