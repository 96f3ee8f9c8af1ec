import type { Reply } from "../../contract/service.ts";
import type { Collector } from "../output.ts";
import { onePageReply, ownLine, type Line } from "../replies.ts";
import type { SpooledList } from "./spooled-list.ts";

/** Number of records that are held in memory before a list is written to a temporary file. */
const heldRecords = 5000;

/** A list that is printed as a whole. */
interface CollectedList extends Collector {
  /** Returns the list as a reply, or prints it and returns nothing if it is in a temporary file. */
  readonly end: (message: string) => Promise<Reply | undefined>;
}

/** @param begin creates the temporary file; returns undefined for lists that must fit into the memory */
export function createList(
  begin: (() => Promise<SpooledList | undefined>) | undefined,
): CollectedList {
  let lines: Line[] = [];
  let spooled: SpooledList | undefined;
  let mayBegin = begin !== undefined;
  return {
    add: async (some) => {
      if (spooled !== undefined) return spooled.add(some);
      for (const line of some) lines.push(ownLine(line));
      if (lines.length <= heldRecords || !mayBegin) return undefined;
      spooled = await begin?.();
      mayBegin = spooled !== undefined;
      if (spooled === undefined) return undefined;
      const held = lines;
      lines = [];
      return spooled.add(held);
    },
    clear: () => {
      spooled?.remove();
      spooled = undefined;
      lines = [];
    },
    end: async (message) => {
      if (spooled === undefined) return onePageReply(message, lines);
      await spooled.print(message);
      return undefined;
    },
  };
}
