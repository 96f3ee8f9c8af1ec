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
  /** Returns what removes the line, to be written before anything else; the line counts as removed. */
  readonly take: () => string;
}

/** @param sketch writes text that is not a line */
export function createStatusLine(sketch: (text: string) => Promise<void>): StatusLine {
  let isShown = false;
  const take = (): string => {
    const text = isShown ? eraser : "";
    isShown = false;
    return text;
  };
  return {
    show: async (text) => {
      isShown = true;
      await sketch(`${eraser}${text}`);
    },
    clear: async () => {
      const text = take();
      if (text !== "") await sketch(text);
    },
    take,
  };
}

/** Removes the line that the cursor is on. */
const eraser = "\r\u001b[K";

interface ProgressLine {
  /** Milliseconds, never set back. */
  readonly elapsed: () => number;
  /** Whether a terminal shows the line. */
  readonly isWatched: () => boolean;
  /** Writes text that is not a line. */
  readonly sketch: (text: string) => Promise<void>;
}

/** Milliseconds. */
const delay = 1000;
const refresh = 100;

/** Shows progress where a terminal shows it, and nothing elsewhere. */
export function createProgress({ elapsed, isWatched, sketch }: ProgressLine): Progress {
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
      await sketch(`${eraser}${text}`);
    },
    done: async () => {
      if (!isShown) return;
      isShown = false;
      await sketch(eraser);
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
