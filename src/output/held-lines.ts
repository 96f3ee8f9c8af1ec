import { hasLongNumber } from "../core/json-text.ts";
import type { Line } from "../service/lines.ts";

/** Records in memory until their list is complete. */
export interface HeldLines extends Iterable<Line> {
  readonly add: (lines: readonly Line[]) => void;
  readonly clear: () => void;
  readonly count: () => number;
}

/** Holds records as their texts, which take a third of the memory of parsed ones. They are parsed again when read. */
export function holdLines(): HeldLines {
  let held: Line[] = [];
  return {
    add: (lines) => {
      for (const line of lines) held.push(heldLine(line));
    },
    clear: () => (held = []),
    count: () => held.length,
    [Symbol.iterator]: () => held.values(),
  };
}

function heldLine(line: Line): Line {
  if (line instanceof TextLine) return line;
  // V8 represents a substring as a slice that references the whole page.
  const text = Buffer.from(line.text).toString();
  // Parsing would lose digits.
  return hasLongNumber(text) ? { record: line.record, text } : new TextLine(text);
}

/** A record that is parsed when it is read. A class, because an object with its own getter takes five times as much. */
class TextLine implements Line {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get record(): Line["record"] {
    return JSON.parse(this.text) as Line["record"];
  }
}
