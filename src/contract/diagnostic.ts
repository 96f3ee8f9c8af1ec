/**
 * Problems of files that people write. Names and texts within the messages are untrusted and need
 * src/output/safe-text.ts before a terminal shows them.
 */

/** A location in a file. Lines and columns start at 1; columns count UTF-16 units. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A problem in a file, with its location. */
export interface Diagnostic extends Location {
  readonly message: string;
}

/** Maximum number of diagnostics that are reported one by one. */
export const diagnosticLimit = 100;
