import type { ExportedGroup } from "./write.ts";

/** A group to export, and what identifies it. */
export interface TakenGroup {
  readonly id: string;
  /** Null if it is not a uuid. */
  readonly uuid: string | null;
  readonly group: ExportedGroup;
}

/** A temporary file. */
export interface TextFile {
  /** In bytes. */
  readonly length: () => number;
  readonly write: (text: string) => void;
  /** @param from in bytes @param to in bytes */
  readonly read: (from: number, to: number) => string;
}

/** Groups in the order in which they were taken, in a file if there are many. */
export interface TakenGroups {
  readonly add: (group: TakenGroup) => void;
  /** Moves groups to the file if there are many in memory. */
  readonly settle: () => Promise<void>;
  /** Yields the groups in reverse order. */
  readonly reversed: () => Generator<TakenGroup>;
}

/** Number of groups that are held in memory before a file is created. */
const heldGroups = 5000;

/** Number of groups that are read from the file at a time. */
const batchSize = 200;

/** @param open creates the file */
export function createTakenGroups(open: () => Promise<TextFile>): TakenGroups {
  let held: TakenGroup[] = [];
  let file: TextFile | undefined;
  /** Where each batch begins in the file. */
  const starts: number[] = [];
  return {
    add: (group) => void held.push(group),
    settle: async () => {
      if (file === undefined && held.length <= heldGroups) return;
      file ??= await open();
      for (let at = 0; at < held.length; at += batchSize) {
        starts.push(file.length());
        file.write(JSON.stringify(held.slice(at, at + batchSize)));
      }
      held = [];
    },
    *reversed() {
      yield* held.toReversed();
      let end = file?.length() ?? 0;
      for (const start of starts.toReversed()) {
        const batch = JSON.parse(file!.read(start, end)) as readonly TakenGroup[];
        yield* batch.toReversed();
        end = start;
      }
    },
  };
}
