/**
 * Limits that bound the time and memory to read YAML. Measured with yaml 2.9 on Node 20: a manifest of groups takes
 * 0.5 s and 60 MiB of memory per MiB; a hostile file takes 4 µs and 500 bytes per token.
 */

/** Maximum number of tokens in one file. Every word, indicator, space and line end is a token. */
export const tokenLimit = 2_500_000;

/** Maximum nesting of collections and scalars; a manifest needs seven levels. */
export const depthLimit = 32;

/** Maximum number of UTF-16 units and fields that variables and aliases may add to the text of the files. */
export const expansionLimit = 16 * 1024 * 1024;
