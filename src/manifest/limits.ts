/**
 * What a manifest may cost. Measured with yaml 2.9 on Node 20: a file of groups takes half a second and
 * 60 MiB of memory a MiB, one that is made to hurt takes 4 µs and 500 bytes a token.
 */

/** Bytes of one file; some 60,000 groups. */
export const fileLimit = 8 * 1024 * 1024;

/** Bytes of all files together. */
export const totalLimit = 64 * 1024 * 1024;

/** Tokens of one file: every word, indicator, space and line end is one. */
export const tokenLimit = 2_500_000;

/** Collections and scalars within each other; a manifest needs seven. */
export const depthLimit = 32;

/** UTF-16 units and members that variables and aliases may add to what is written. */
export const expansionLimit = 16 * 1024 * 1024;

/** Diagnostics that are told one by one. */
export const diagnosticLimit = 100;
