/** Limits that bound the time and memory to read manifests, with those of src/yaml/limits.ts. */

/** Maximum size of one file in bytes: about 60,000 groups. */
export const fileLimit = 8 * 1024 * 1024;

/** Maximum total size of all files in bytes. */
export const totalLimit = 64 * 1024 * 1024;
