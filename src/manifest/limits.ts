/**
 * Limits that bound the time and memory to read manifests. Measured with yaml 2.9 on Node 20: a file of groups takes
 * 0.5 s and 60 MiB of memory per MiB; a hostile file takes 4 µs and 500 bytes per token.
 */

/** Maximum size of one file in bytes: about 60,000 groups. */
export const fileLimit = 8 * 1024 * 1024;

/** Maximum total size of all files in bytes. */
export const totalLimit = 64 * 1024 * 1024;

/** Maximum number of tokens in one file. Every word, indicator, space and line end is a token. */
export const tokenLimit = 2_500_000;

/** Maximum nesting of collections and scalars; a manifest needs seven levels. */
export const depthLimit = 32;

/** Maximum number of UTF-16 units and fields that variables and aliases may add to the text of the files. */
export const expansionLimit = 16 * 1024 * 1024;

/** Maximum number of diagnostics that are reported one by one. */
export const diagnosticLimit = 100;
