import type { Diagnostic, Location } from "../contract/error.ts";
import type { Existing } from "./group-changes.ts";
import { idText, nameOf } from "./record-keys.ts";

/** A named record of a manifest. */
interface Named {
  readonly name: string;
  readonly location: Location;
}

/**
 * Existing records that a service may take for new ones of the manifest, because their names differ only in case or in
 * outer white space. Each apply would create another record in a service that stores names in one case, or trimmed.
 */
export interface Lookalikes {
  /** Adds a record that the manifest does not name. */
  readonly take: (record: Existing) => void;
  /** Returns why a record of the manifest is not created, if there is a similar one. */
  readonly problemOf: (desired: Named) => Lookalike | undefined;
}

interface Lookalike {
  /** Whether the names differ in case, not only in white space. */
  readonly isConflict: boolean;
  readonly diagnostic: Diagnostic;
}

/** @param noun what the records are */
export function createLookalikes(noun: string, names: readonly string[]): Lookalikes {
  const wanted = new Set(names.map(fold));
  const found = new Map<string, Existing>();
  return {
    take: (record) => {
      const name = nameOf(record).toLowerCase();
      if (wanted.has(name)) found.set(name, record);
    },
    problemOf: ({ name, location }) => {
      const record = found.get(fold(name));
      if (record === undefined) return undefined;
      const existing = nameOf(record);
      const isConflict = existing !== name.trim();
      const [difference, advice] = isConflict
        ? ["case", "use that spelling, or add both to the manifest"]
        : ["outer white space", "remove it"];
      const message = `the name of the new ${noun} "${name}" differs from the existing "${existing}" (id ${idText(record)}) only in ${difference}; ${advice}`;
      return { isConflict, diagnostic: { ...location, message } };
    },
  };
}

/** Returns a name as a service may store it. */
export function fold(name: string): string {
  return name.trim().toLowerCase();
}
