import { setTimeout } from "node:timers/promises";
import { SendctlError } from "../contract/error.ts";
import { configurationChecks } from "./configuration.ts";
import { databaseChecks } from "./database.ts";
import { failed, warning, type CheckResult } from "./check-result.ts";
import { machineChecks } from "./machine.ts";
import type { Check, CheckInput } from "./check.ts";
import { serviceChecks } from "./service.ts";

/** In an order in which later checks depend on earlier ones. */
const checks: readonly Check[] = [
  ...machineChecks,
  ...configurationChecks,
  ...databaseChecks,
  ...serviceChecks,
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
  for (const check of checks) results.push(...(await runCheck(check, input)));
  return results;
}

/** Runs a check. If it throws or takes too long, that is its result, and the others still run. */
async function runCheck(check: Check, input: CheckInput): Promise<readonly CheckResult[]> {
  const done = new AbortController();
  try {
    return await Promise.race([resultsOf(check, input), timedOut(check, input, done.signal)]);
  } catch (error) {
    if (error instanceof SendctlError && ["cancelled", "terminated"].includes(error.kind))
      throw error;
    const detail = `the check failed: ${(error as Error).message}`;
    return [failed(check.name, detail, "report it as a defect in sendctl", "defect")];
  } finally {
    done.abort();
  }
}

/** Turns an error that the check throws at once into a rejection. */
async function resultsOf(check: Check, input: CheckInput): Promise<readonly CheckResult[]> {
  return check.run(input);
}

/** Waits a little longer than the time limit, because a check that keeps to the limit reports more detail. */
async function timedOut(
  { name }: Check,
  { timeout }: CheckInput,
  signal: AbortSignal,
): Promise<readonly CheckResult[]> {
  const grace = 500;
  try {
    await setTimeout(timeout + grace, undefined, { signal });
  } catch {
    return [];
  }
  return [warning(name, `not known: timed out after ${timeout / 1000} s`, "try again")];
}
