import type { Format } from "./format.ts";
import { isLosslessNumber, parse } from "lossless-json";
import { doubleQuoted, yamlText } from "../../core/yaml/yaml-text.ts";
import { joinLines } from "../../core/json-text.ts";
import { recordLine, type Line } from "../../service/lines.ts";
import { safeJson } from "../../core/text.ts";
import { lineFormat } from "./line-format.ts";

const step = "  ";

/** In UTF-16 units. Longer records are JSON, because indentation can multiply their length. */
const maxRecordLength = 2 ** 18;

/** Maximum length of a key in characters. YAML accepts longer keys only after a question mark. */
const maxKeyLength = 1000;

/** Returns the text after `key:`. @param indent indentation of the key */
function valueText(value: unknown, indent: string): string {
  const inner = indent + step;
  if (Array.isArray(value)) {
    return value.length === 0 ? " []" : `\n${value.map((child) => item(child, inner)).join("\n")}`;
  }
  if (typeof value === "object" && value !== null && !isLosslessNumber(value)) {
    const fields = mapping(value, inner);
    return fields === "" ? " {}" : `\n${fields}`;
  }
  return ` ${scalar(value, indent)}`;
}

/** Returns an item of a sequence. @param indent indentation of its dash */
function item(value: unknown, indent: string): string {
  const text = valueText(value, indent);
  // The first field is on the line of the dash.
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

/** A number that JavaScript may format differently from the JSON text. */
const exactNumber = /(?:"\s*:|[[,])\s*(?:-?\d+[.eE]|-?\d{16}|-0)/;

/** Uses the last value of a duplicate field, as JSON.parse does. */
const onDuplicateKey = ({ newValue }: { readonly newValue: unknown }): unknown => newValue;

/** Returns a record as YAML, with all digits of its numbers, or as JSON if it is too long. */
function written({ record, text }: Line, write: (record: unknown) => string): string {
  if (text.length > maxRecordLength) return safeJson(joinLines(text, ""));
  return write(exactNumber.test(text) ? parse(text, null, { onDuplicateKey }) : record);
}

/** Returns the text of a document. */
function documentText(value: unknown): string {
  if (typeof value !== "object" || value === null) return scalar(value, "");
  return Array.isArray(value)
    ? value.map((child) => item(child, "")).join("\n") || "[]"
    : mapping(value, "") || "{}";
}

/** A record is a mapping, a list is a sequence of records. */
export const yamlFormat: Format = {
  ...lineFormat(() => ({
    head: (first) => (first === undefined ? "[]\n" : ""),
    lines: (lines) =>
      lines
        .map((line) => written(line, (record) => item(record, "")))
        .map((text) => `${text.startsWith("-") ? text : `- ${text}`}\n`)
        .join(""),
  })),
  record: (reply, _, { print }) => print(`${written(recordLine(reply), documentText)}\n`),
  report: async ({ data }, { print }) => {
    if (data !== null) await print(`${documentText(data)}\n`);
  },
};
