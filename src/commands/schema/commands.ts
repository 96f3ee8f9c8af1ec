import { schemaBehaviour } from "./behaviour.ts";
import { schemaManifest } from "./manifest.ts";
import { schemaOpenapi } from "./openapi.ts";

/** The commands of `sendctl schema`. */
export const commands = [schemaBehaviour, schemaManifest, schemaOpenapi];
