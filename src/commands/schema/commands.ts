import { schemaManifest } from "./manifest.ts";

/** The commands of `sendctl schema`. */
export const commands = [schemaManifest];
