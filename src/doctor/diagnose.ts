import { SendctlError, isStop } from "../core/error.ts";
import {
  failed,
  failedWith,
  warning,
  type Check,
  type CheckInput,
  type CheckResult,
  type Finding,
  type Findings,
} from "./check.ts";
import { databaseChecks } from "./database.ts";
import { installationChecks } from "./installation.ts";
import { serviceChecks } from "./service.ts";

/** In an order in which later checks depend on earlier ones. */
const checks: readonly Check[] = [...installationChecks, ...databaseChecks, ...serviceChecks];

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
  for (const check of checks) {
    const isUsed = input.settings.baseUrl === undefined || check.isForDatabase !== true;
    for (const [name, found] of Object.entries(await runCheck(check, input))) {
      const findings = [found].flat().map((finding) => (isUsed ? finding : softened(finding)));
      results.push(...findings.map((finding) => ({ name, ...finding })));
    }
  }
  return results;
}

function softened(finding: Finding): Finding {
  if (finding.status !== "error") return finding;
  return warning(`${finding.detail} (not used in remote mode)`, finding.fix);
}

/** Runs a check, which keeps to its time limit. If it throws, that is what it found, and the others still run. */
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
