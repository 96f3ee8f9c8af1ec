/** A temporary file. */
export interface TextFile {
  /** In bytes. */
  readonly length: () => number;
  readonly write: (text: string) => void;
  /** @param from in bytes @param to in bytes */
  readonly read: (from: number, to: number) => string;
}

/** What identifies a group. */
export interface Identity {
  readonly id: string;
  /** Undefined if it is not a uuid. */
  readonly uuid?: string | undefined;
  readonly name: string;
}

/** The texts of successive groups, the last group first. What is in a file is read when it is needed. */
export interface Batch {
  readonly count: number;
  readonly text: () => string;
  /** The length of the text of each group. */
  readonly lengths: () => readonly number[];
  readonly identities: () => readonly Identity[];
}

/** The texts of groups in the order in which they were taken, in a file if there are many. */
export interface TakenGroups {
  readonly add: (text: string, identity: Identity) => void;
  /** Moves groups to the file if there are many in memory. */
  readonly settle: () => Promise<void>;
  /** Yields the groups in reverse order. */
  readonly reversed: () => Generator<Batch>;
}

/** Number of groups that are held in memory before a file is created. */
const heldGroups = 5000;

/** Number of groups that are read from the file at a time. */
const batchSize = 250;

/** Where the parts of a batch begin in the file: its text, and as JSON the lengths and the identities. */
type Stored = readonly [text: number, lengths: number, identities: number, end: number];

/** @param open creates the file */
export function createTakenGroups(open: () => Promise<TextFile>): TakenGroups {
  const texts: string[] = [];
  const identities: Identity[] = [];
  let file: TextFile | undefined;
  const batches: Stored[] = [];
  const store = ({ length, write }: TextFile): void => {
    const some = texts.splice(0, batchSize).toReversed();
    const start = length();
    write(some.join(""));
    const middle = length();
    write(JSON.stringify(lengthsOf(some)));
    const last = length();
    write(JSON.stringify(identities.splice(0, batchSize).toReversed()));
    batches.push([start, middle, last, length()]);
  };
  return {
    add: (text, identity) => {
      texts.push(text);
      identities.push(identity);
      // Groups that stay until the end of a page take the garbage collector as much time as writing them.
      if (file !== undefined && texts.length >= batchSize) store(file);
    },
    settle: async () => {
      if (file !== undefined || texts.length <= heldGroups) return;
      file = await open();
      while (texts.length >= batchSize) store(file);
    },
    *reversed() {
      const held = texts.toReversed();
      yield {
        count: held.length,
        text: () => held.join(""),
        lengths: () => lengthsOf(held),
        identities: () => identities.toReversed(),
      };
      for (const [start, middle, last, end] of batches.toReversed()) {
        yield {
          count: batchSize,
          text: () => file!.read(start, middle),
          lengths: () => JSON.parse(file!.read(middle, last)) as readonly number[],
          identities: () => JSON.parse(file!.read(last, end)) as readonly Identity[],
        };
      }
    },
  };
}

function lengthsOf(texts: readonly string[]): readonly number[] {
  return texts.map(({ length }) => length);
}
