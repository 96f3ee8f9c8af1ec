import { createRequire } from "node:module";
import { SendctlError } from "../../../contract/error.ts";

/** Named in full: looking for it, as better-sqlite3 would, costs a millisecond. */
const addon = "better-sqlite3/build/Release/better_sqlite3.node";

/** The part of better-sqlite3 that is compiled or downloaded when sendctl is installed. */
export function loadAddon(): object {
  try {
    return createRequire(import.meta.url)(addon) as object;
  } catch (error) {
    throw new SendctlError(
      "database",
      "the better-sqlite3 addon, which the embedded engine needs, cannot be loaded",
      {
        hint: "run `npm rebuild better-sqlite3` where sendctl is installed",
        database: "addon",
        cause: error,
      },
    );
  }
}
