/** What identifies a group. */
export interface Identity {
  readonly id: string;
  /** Undefined if it is not a uuid. */
  readonly uuid?: string | undefined;
  readonly name: string;
}

/** The texts of successive groups, the last group first. */
export interface Batch {
  readonly count: number;
  readonly text: () => string;
  /** The length of the text of each group. */
  readonly lengths: () => readonly number[];
  readonly identities: () => readonly Identity[];
}

/** The texts of groups in the order in which they were taken. */
export interface TakenGroups {
  readonly add: (text: string, identity: Identity) => void;
  /** Yields the groups in reverse order. */
  readonly reversed: () => Generator<Batch>;
}

/** Number of groups in a batch, whose text is one string. */
const batchSize = 1000;

export function createTakenGroups(): TakenGroups {
  const texts: string[] = [];
  const identities: Identity[] = [];
  return {
    add: (text, identity) => {
      texts.push(text);
      identities.push(identity);
    },
    *reversed() {
      for (let end = texts.length; end > 0; end -= batchSize) {
        const start = Math.max(0, end - batchSize);
        const held = texts.slice(start, end).toReversed();
        yield {
          count: held.length,
          text: () => held.join(""),
          lengths: () => lengthsOf(held),
          identities: () => identities.slice(start, end).toReversed(),
        };
      }
    },
  };
}

function lengthsOf(texts: readonly string[]): readonly number[] {
  return texts.map(({ length }) => length);
}
