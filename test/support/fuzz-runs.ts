/** Fixed seed of the suite: a failure is caused by a change, not by new cases. */
const usualSeed = 20_260_131;

/** Factor for the number of cases. If it is set, the cases are random: `FUZZ=20 npx vitest run test/fuzz test/engine`. */
const times = Number(process.env["FUZZ"] ?? 1);

/** Returns the parameters of a property. @param usual number of cases in the suite */
export function cases(usual: number): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = Math.ceil(usual * times);
  return process.env["FUZZ"] === undefined ? { numRuns, seed: usualSeed } : { numRuns };
}

/** Timeout of a test with many cases. */
export const timeout = { timeout: 120_000 * Math.max(1, times) };
