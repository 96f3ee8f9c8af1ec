import { Help } from "commander";
import type { TopicName } from "../program/topics.ts";
import { topicTexts, type Block } from "./topic-texts.ts";

/** Returns a topic as `sendctl help` prints it, wrapped to a width. */
export function topicPage(name: TopicName, columns: number): string {
  const help = new Help();
  help.prepareContext({ helpWidth: columns });
  const blocks = topicTexts[name].map((block) => blockText(block, help, columns));
  return `${blocks.join("\n\n")}\n`;
}

function blockText(block: Block, help: Help, columns: number): string {
  if (typeof block === "string") return help.boxWrap(block, columns);
  const width = Math.max(...block.map(([term]) => term.length));
  return block.map(([term, meaning]) => help.formatItem(term, width, meaning, help)).join("\n");
}
