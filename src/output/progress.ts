/** One line at the bottom of a terminal that is written over and over. */
export interface Progress {
  /** Shows a text, after the first second and not more often than a person can read. */
  readonly update: (text: string) => Promise<void>;
  /** Removes the line. */
  readonly done: () => Promise<void>;
}

/** A line at the bottom of a terminal that says what is being waited for. */
export interface StatusLine {
  readonly show: (text: string) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/** @param rewriteLine replaces the last line of the terminal */
export function createStatusLine(rewriteLine: (text: string) => Promise<void>): StatusLine {
  let isShown = false;
  return {
    show: async (text) => {
      isShown = true;
      await rewriteLine(text);
    },
    clear: async () => {
      if (!isShown) return;
      isShown = false;
      await rewriteLine("");
    },
  };
}

interface ProgressLine {
  /** Milliseconds, never set back. */
  readonly elapsed: () => number;
  /** Whether a terminal shows the line. */
  readonly isWatched: () => boolean;
  /** Replaces the last line of the terminal. */
  readonly rewriteLine: (text: string) => Promise<void>;
}

/** Milliseconds. */
const delay = 1000;
const refresh = 100;

/** Shows progress where a terminal shows it, and nothing elsewhere. */
export function createProgress({ elapsed, isWatched, rewriteLine }: ProgressLine): Progress {
  const begun = elapsed();
  let isShown = false;
  let shownAt: number | undefined;
  return {
    update: async (text) => {
      const now = elapsed();
      if (!isWatched() || now - begun < delay) return;
      if (shownAt !== undefined && now - shownAt < refresh) return;
      shownAt = now;
      isShown = true;
      await rewriteLine(text);
    },
    done: async () => {
      if (!isShown) return;
      isShown = false;
      await rewriteLine("");
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
