import { unusable } from "./connection/database-error.ts";
import type { Queries } from "./queries.ts";

/** Milliseconds that a write may take before the database counts as blocked. */
const maxWait = 2000;

/** Milliseconds for which a successful write proves that writes work. */
const validity = 1000;

/**
 * Creates a check that fails if the database cannot be read, or accepts no writes. It reads one row, and commits an
 * empty transaction at most once a second, which waits for the lock of writers as every write does.
 */
export function createHealthCheck({ row, write, address }: Queries): () => Promise<void> {
  let lastWrite = Number.NEGATIVE_INFINITY;
  let writing: { readonly since: number; readonly done: Promise<void> } | undefined;

  async function writeOnce(): Promise<void> {
    await write({ statements: [], result: () => undefined });
    lastWrite = performance.now();
  }

  function startWrite(): { readonly since: number; readonly done: Promise<void> } {
    const done = writeOnce().finally(() => {
      writing = undefined;
    });
    // A write that fails after its check has given up must not end the process.
    done.catch(() => {});
    return { since: performance.now(), done };
  }

  return async () => {
    await row("SELECT newest FROM clock");
    if (performance.now() - lastWrite < validity) return;
    writing ??= startWrite();
    const { since, done } = writing;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const refuse = (): void => reject(unusable(address, blocked));
      timer = setTimeout(refuse, Math.max(0, since + maxWait - performance.now()));
    });
    await Promise.race([done, late]).finally(() => clearTimeout(timer));
  };
}

const blocked = [
  "locked",
  "accepts no writes, because another process holds the lock of all writers",
  "see pg_stat_activity for the process",
] as const;
