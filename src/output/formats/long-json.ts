import { indentedJson } from "../../contract/text/json-text.ts";
import type { Line } from "../replies.ts";
import type { LongList, Sheet } from "./format.ts";

/** Prints a long list as one envelope, formatted like a short one. */
export function longJson({ printJson }: Sheet): LongList {
  return {
    text: (lines, isFirst) => `${isFirst ? "" : ",\n"}${indentedItems(lines)}`,
    print: async (envelope, pieces) => {
      const [head, tail] = indentedJson(envelope).split(/(?<=\n) {6}null(?=\n)/);
      await printJson(head!);
      for (const piece of pieces) await printJson(piece);
      await printJson(tail!);
    },
  };
}

/** Returns records as the items of an array in an object in an object. */
function indentedItems(lines: readonly Line[]): string {
  const nested = fastIndented(lines) ?? indentedJson(`[[[${textsOf(lines)}]]]`).trimEnd();
  return nested.slice("[\n  [\n    [\n".length, -"\n    ]\n  ]\n]".length);
}

/** Returns nested records as indented by JSON.stringify, or undefined if that would change their text. */
function fastIndented(lines: readonly Line[]): string | undefined {
  const records = lines.map(({ record }) => record);
  try {
    if (JSON.stringify(records) !== `[${textsOf(lines)}]`) return undefined;
    return JSON.stringify([[records]], null, 2);
  } catch {
    // A bigint, or nested too deep.
    return undefined;
  }
}

function textsOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join(",");
}
