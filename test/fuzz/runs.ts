/** So many cases in the suite; `FUZZ=20 npm test` tries twenty times as many. */
export function cases(usual: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(usual * Number(process.env["FUZZ"] ?? 1)) };
}

/** For a test that tries many. */
export const patience = { timeout: 120_000 * Math.max(1, Number(process.env["FUZZ"] ?? 1)) };
