/** A word that may stand where the cursor is. */
export interface Candidate {
  readonly value: string;
  /** What the shell shows beside it, where it can. */
  readonly about: string;
}

/** Words that need no explanation. */
export function plainly(...values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: "" }));
}
