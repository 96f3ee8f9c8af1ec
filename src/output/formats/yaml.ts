import { isLosslessNumber, parse } from "lossless-json";
import { doubleQuoted, yamlText } from "../../contract/yaml-text.ts";
import { recordLine, type Line } from "../replies.ts";
import { safeJson } from "../safe-text.ts";
import type { Format } from "./format.ts";
import { lineFormat } from "./line-format.ts";

const step = "  ";

/** In characters of indentation. What nests deeper is written as JSON, which YAML includes. */
const maxIndent = 100 * step.length;

/** In characters: YAML takes a longer text for a key only behind a question mark. */
const maxKeyLength = 1000;

class NestedTooDeep extends Error {}

/** Returns what follows `key:`. @param indent of the key */
function valueText(value: unknown, indent: string): string {
  const inner = indent + step;
  if (inner.length > maxIndent) throw new NestedTooDeep();
  if (Array.isArray(value)) {
    return value.length === 0 ? " []" : `\n${value.map((one) => item(one, inner)).join("\n")}`;
  }
  if (typeof value === "object" && value !== null && !isLosslessNumber(value)) {
    const fields = mapping(value, inner);
    return fields === "" ? " {}" : `\n${fields}`;
  }
  return ` ${scalar(value, indent)}`;
}

/** Returns an item of a sequence. @param indent of its dash */
function item(value: unknown, indent: string): string {
  const text = valueText(value, indent);
  // The first field stands beside the dash.
  return text.startsWith("\n") ? `${indent}- ${text.trimStart()}` : `${indent}-${text}`;
}

function mapping(value: object, indent: string): string {
  const lines: string[] = [];
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const key = name.includes("\n") ? doubleQuoted(name) : yamlText(name, indent);
    const mark = key.length > maxKeyLength ? `${indent}? ${key}\n${indent}:` : `${indent}${key}:`;
    lines.push(mark + valueText(field, indent));
  }
  return lines.join("\n");
}

function scalar(value: unknown, indent: string): string {
  if (typeof value === "string") return yamlText(value, indent);
  return isLosslessNumber(value) ? value.value : String(value);
}

/** A number that JavaScript may write differently than JSON did. */
const exactNumber = /(?:"\s*:|[[,])\s*(?:-?\d+[.eE]|-?\d{16}|-0)/;

/** Of a field that is there twice the later counts, as everywhere. */
const onDuplicateKey = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

/** Returns a record, its numbers with every digit that they came with. */
function exactly({ record, text }: Line): unknown {
  return exactNumber.test(text) ? parse(text, null, { onDuplicateKey }) : record;
}

/** Returns a record as YAML, or as JSON where it nests too deep to be indented. */
function written(line: Line, write: (record: unknown) => string): string {
  try {
    return write(exactly(line));
  } catch (error) {
    if (error instanceof NestedTooDeep || error instanceof RangeError) {
      return safeJson(line.text.replace(/\s*[\r\n]\s*/g, ""));
    }
    throw error;
  }
}

/** Returns a document, without the line end that precedes its first field. */
function documentText(value: unknown): string {
  if (typeof value !== "object" || value === null) return scalar(value, "");
  return Array.isArray(value)
    ? value.map((one) => item(one, "")).join("\n") || "[]"
    : mapping(value, "") || "{}";
}

/** A record as a mapping, and a list as a sequence of records. */
export const yamlFormat: Format = {
  ...lineFormat(() => ({
    head: (first) => (first === undefined ? "[]\n" : ""),
    lines: (lines) => lines.map((line) => `${itemText(line)}\n`).join(""),
  })),
  record: (reply, _, { print }) => print(`${written(recordLine(reply), documentText)}\n`),
  report: async ({ data }, { print }) => {
    if (data !== null) await print(`${documentText(data)}\n`);
  },
};

function itemText(line: Line): string {
  const text = written(line, (record) => item(record, ""));
  return text.startsWith("-") ? text : `- ${text}`;
}
