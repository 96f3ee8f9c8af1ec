import Table from "cli-table3";
import measures from "cli-table3/src/utils.js";
import { cutToWidth, displayWidth, prepareToMeasure, wrapToWidth } from "./display-width.ts";
import type { Style } from "./style.ts";

/** A cell: text that is safe to show, one line, and what it means for its colour. */
export interface Cell {
  readonly text: string;
  readonly style?: (style: Style) => (text: string) => string;
}

export interface Column {
  readonly label: string;
  /** May be cut where the terminal is narrow. What names a record to the next command may not. */
  readonly shrinks?: boolean;
  readonly align?: "right";
}

export interface Surface {
  /** Columns of the terminal; undefined where nothing has to fit: then plain, aligned and complete. */
  readonly width: number | undefined;
  readonly style: Style;
}

// The measure that comes with cli-table3 knows no emoji of recent years, and columns run askew. Cells come
// here fitted, so nothing is left for it to cut.
measures.strlen = (text) => Math.max(...text.split("\n").map(displayWidth));
measures.truncate = (text) => text;
measures.pad = (text, width, filler, align) => {
  const missing = filler.repeat(Math.max(0, width - measures.strlen(text)));
  return align === "right" ? missing + text : text + missing;
};

const narrowest = 8;

const plainChars = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Border and padding of a table of so many columns. */
function frame(columns: number): number {
  return 3 * columns + 1;
}

/** A list as a table; as records one below the other where the terminal is too narrow for a table. */
export async function listTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  surface: Surface,
): Promise<string> {
  await prepareToMeasure(rows.flat().map(({ text }) => text));
  const natural = columns.map(({ label }, index) =>
    Math.max(displayWidth(label), ...rows.map((row) => displayWidth(row[index]!.text))),
  );
  const widths =
    surface.width === undefined
      ? natural
      : fittedWidths(columns, natural, surface.width - frame(columns.length));
  if (widths === undefined) {
    const records = rows.map((row) =>
      recordTable(
        columns.map(({ label }, index) => [label, row[index]!]),
        surface,
      ),
    );
    return (await Promise.all(records)).join("\n");
  }
  const head = columns.map(({ label }) => surface.style.heading(label));
  const body = rows.map((row) =>
    row.map((cell, index) => painted(cell, cutToWidth(cell.text, widths[index]!), surface.style)),
  );
  const aligns = columns.map(({ align }) => align ?? "left");
  return surface.width === undefined
    ? render([head, ...body], widths, aligns, surface)
    : render(body, widths, aligns, surface, head);
}

/** A record as a table of two columns, names and values; long values go over several lines. */
export async function recordTable(
  fields: readonly (readonly [label: string, cell: Cell])[],
  surface: Surface,
): Promise<string> {
  await prepareToMeasure(fields.flatMap(([label, { text }]) => [label, text]));
  const labelWidth = Math.max(...fields.map(([label]) => displayWidth(label)));
  const natural = Math.max(...fields.map(([, cell]) => displayWidth(cell.text)));
  const room = surface.width === undefined ? natural : surface.width - frame(2) - labelWidth;
  const valueWidth = Math.max(narrowest, Math.min(natural, room));
  const rows = fields.map(([label, cell]) => [
    surface.style.heading(label),
    wrapToWidth(cell.text, valueWidth)
      .map((line) => painted(cell, line, surface.style))
      .join("\n"),
  ]);
  return render(rows, [labelWidth, valueWidth], ["left", "left"], surface);
}

/** Takes from the widest first, down to the narrowest that can be read; undefined where that is not enough. */
function fittedWidths(
  columns: readonly Column[],
  natural: readonly number[],
  room: number,
): readonly number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const shrinkable = widths.map((width, index) => (columns[index]!.shrinks ? width : 0));
    const widest = Math.max(...shrinkable);
    if (widest <= narrowest) return undefined;
    widths[shrinkable.indexOf(widest)]! -= 1;
    excess -= 1;
  }
  return widths;
}

function painted(cell: Cell, text: string, style: Style): string {
  return cell.style === undefined ? text : cell.style(style)(text);
}

function render(
  rows: readonly string[][],
  widths: readonly number[],
  aligns: ("left" | "right")[],
  { width }: Surface,
  head: string[] = [],
): string {
  const bordered = width !== undefined;
  const padding = bordered ? 1 : 0;
  const table = new Table({
    ...(bordered ? {} : { chars: plainChars }),
    head,
    colWidths: widths.map((columnWidth) => columnWidth + 2 * padding),
    colAligns: aligns,
    style: {
      head: [],
      border: [],
      "padding-left": padding,
      "padding-right": padding,
      compact: bordered,
    },
  });
  table.push(...rows);
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
