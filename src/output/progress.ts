import type { Write } from "./writer.ts";

/** One line at the bottom of a terminal that is written over and over. */
export interface Progress {
  /** Shown from the second second on, and not more often than a person can read. */
  readonly update: (text: string) => Promise<void>;
  /** Takes the line away. */
  readonly done: () => Promise<void>;
}

/** The terminal that shows it, and the clock that limits how often. */
interface Watched {
  readonly elapsed: () => number;
  /** Whether stderr is a terminal. */
  readonly isWatched: () => boolean;
  readonly sketch: Write;
}

/** Milliseconds. */
const patience = 1000;
const refresh = 100;

/** Progress on stderr, where that is a terminal and narration is wanted; nothing elsewhere. */
export function createProgress(context: Watched): Progress {
  const begun = context.elapsed();
  let shownAt: number | undefined;
  return {
    update: async (text) => {
      const now = context.elapsed();
      if (!context.isWatched() || now - begun < patience) return;
      if (shownAt !== undefined && now - shownAt < refresh) return;
      shownAt = now;
      await context.sketch(`\r\u001b[K${text}`);
    },
    done: async () => {
      if (shownAt !== undefined) await context.sketch("\r\u001b[K");
      shownAt = undefined;
    },
  };
}

/** @param part of the whole that is done, from 0 to 1 */
export function bar(part: number): string {
  const done = Math.floor(Math.min(1, part) * barWidth);
  const percent = String(Math.floor(Math.min(1, part) * 100)).padStart(3);
  return `${"█".repeat(done)}${"░".repeat(barWidth - done)} ${percent}%`;
}

/** In columns. */
const barWidth = 24;
