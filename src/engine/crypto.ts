import type * as Crypto from "node:crypto";

let loaded: Promise<typeof Crypto> | undefined;

/**
 * Node's crypto: loaded when it is first needed, because most commands have no use for it, and imported once,
 * because each `import()` in the bundle copies every member of the module, which takes longer than a hash.
 */
export function loadCrypto(): Promise<typeof Crypto> {
  return (loaded ??= import("node:crypto"));
}
