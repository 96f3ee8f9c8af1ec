import { apply } from "./apply.ts";
import { diff } from "./diff.ts";
import { exportRecords } from "./export.ts";

/** `sendctl apply`, `sendctl diff` and `sendctl export`. */
export const commands = [apply, diff, exportRecords];
