/** A word that can be inserted at the cursor. */
export interface Candidate {
  readonly value: string;
  /** The description that the shell shows beside it, if it can. */
  readonly about: string;
}

/** Returns candidates without a description. */
export function plainCandidates(...values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: "" }));
}
