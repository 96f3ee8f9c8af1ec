/** Of the cases that the suite tries: the same ones at every run, so that it fails for whoever broke something. */
const usualSeed = 20_260_131;

/** Times as many cases as the suite has, and others at every run: `FUZZ=20 npx vitest run test/fuzz`. */
const times = Number(process.env["FUZZ"] ?? 1);

/** So many cases in the suite. */
export function cases(usual: number): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = Math.ceil(usual * times);
  return process.env["FUZZ"] === undefined ? { numRuns, seed: usualSeed } : { numRuns };
}

/** For a test that tries many. */
export const timeout = { timeout: 120_000 * Math.max(1, times) };
