import { setTimeout } from "node:timers/promises";
import { SendctlError } from "../contract/error.ts";
import { configurationChecks } from "./configuration.ts";
import { databaseChecks } from "./database.ts";
import { fault, warning, type CheckResult } from "./check.ts";
import { machineChecks } from "./machine.ts";
import type { Check, CheckInput } from "./with-timeout.ts";
import { serviceChecks } from "./service.ts";

/** From the ground up. */
const checks: readonly Check[] = [
  ...machineChecks,
  ...configurationChecks,
  ...databaseChecks,
  ...serviceChecks,
];

/** The longest that a check may take, in milliseconds. */
export const longestTimeout = 5000;

/**
 * Everything that could be wrong, whatever of it is.
 *
 * @throws SendctlError "cancelled" or "terminated", and nothing else
 */
export async function diagnose(input: CheckInput): Promise<readonly CheckResult[]> {
  const found: CheckResult[] = [];
  // One after the other: SQLite works while nothing else does, and an answer would seem to come late.
  for (const check of checks) found.push(...(await carriedOut(check, input)));
  return found;
}

/** A check that does not work is a finding, too, and hides no other. */
async function carriedOut(check: Check, input: CheckInput): Promise<readonly CheckResult[]> {
  const done = new AbortController();
  try {
    return await Promise.race([looked(check, input), late(check, input, done.signal)]);
  } catch (error) {
    if (error instanceof SendctlError && ["cancelled", "terminated"].includes(error.kind))
      throw error;
    const detail = `the check does not work: ${(error as Error).message}`;
    return [fault(check.name, detail, "report it as a defect of sendctl", "defect")];
  } finally {
    done.abort();
  }
}

async function looked(check: Check, input: CheckInput): Promise<readonly CheckResult[]> {
  return check.look(input);
}

/** A little after what is bounded by itself, which says more. */
async function late(
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
  return [warning(name, `not known: it took more than ${timeout / 1000} s`, "try again")];
}
