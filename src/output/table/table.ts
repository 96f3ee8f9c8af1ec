import Table from "cli-table3";
import measures from "cli-table3/src/utils.js";
import { cutToWidth, displayWidth, prepareToMeasure, wrapToWidth } from "./display-width.ts";
import type { Style } from "../style.ts";

/** A cell: text that is safe to show, one line, and what it means for its colour. */
export interface Cell {
  readonly text: string;
  readonly style?: (style: Style) => (text: string) => string;
}

export interface Column {
  readonly label: string;
  /** Where the terminal is narrow, it may be cut down to so many columns. */
  readonly least?: number;
  /** Where that is not enough, it may be left out. */
  readonly optional?: true;
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

/**
 * A list as a table. Where the terminal is too narrow texts are cut, then columns that are optional left
 * out; where even that is too wide, the records stand one below the other.
 *
 * @param hasHeader whether the labels of the columns stand above them
 */
export async function listTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  surface: Surface,
  hasHeader = true,
): Promise<string> {
  await prepareToMeasure(rows.flat().map(({ text }) => text));
  const natural = columns.map(({ label }, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, displayWidth(row[index]!.text)),
      hasHeader ? displayWidth(label) : 0,
    ),
  );
  const fitted = fit(columns, natural, surface.width);
  if (fitted === undefined) {
    const records = rows.map((row) =>
      recordTable(
        columns.map(({ label }, index) => [label, row[index]!]),
        surface,
      ),
    );
    return (await Promise.all(records)).join("\n");
  }
  const head = !hasHeader
    ? []
    : fitted.map(({ index }) => surface.style.heading(columns[index]!.label));
  const body = rows.map((row) =>
    fitted.map(({ index, width }) => {
      const cell = row[index]!;
      return painted(cell, cutToWidth(cell.text, width), surface.style);
    }),
  );
  const widths = fitted.map(({ width }) => width);
  const aligns = fitted.map(({ index }) => columns[index]!.align ?? "left");
  return surface.width === undefined
    ? render(hasHeader ? [head, ...body] : body, widths, aligns, surface)
    : render(body, widths, aligns, surface, head);
}

const minValueWidth = 8;

/** A record as a table of two columns, names and values; long values go over several lines. */
export async function recordTable(
  fields: readonly (readonly [label: string, cell: Cell])[],
  surface: Surface,
): Promise<string> {
  await prepareToMeasure(fields.flatMap(([label, { text }]) => [label, text]));
  const labelWidth = Math.max(...fields.map(([label]) => displayWidth(label)));
  const natural = Math.max(...fields.map(([, cell]) => displayWidth(cell.text)));
  const room = surface.width === undefined ? natural : surface.width - frame(2) - labelWidth;
  const valueWidth = Math.max(minValueWidth, Math.min(natural, room));
  const rows = fields.map(([label, cell]) => [
    surface.style.heading(label),
    wrapToWidth(cell.text, valueWidth)
      .map((line) => painted(cell, line, surface.style))
      .join("\n"),
  ]);
  return render(rows, [labelWidth, valueWidth], ["left", "left"], surface);
}

/** Which columns are shown, and how wide; undefined where the terminal is too narrow for a table. */
function fit(
  columns: readonly Column[],
  natural: readonly number[],
  terminal: number | undefined,
): { readonly index: number; readonly width: number }[] | undefined {
  let fitted = natural.map((width, index) => ({ index, width }));
  if (terminal === undefined) return fitted;
  const least = ({ index, width }: { index: number; width: number }): number =>
    Math.min(width, columns[index]!.least ?? width);
  const excess = (widthOf: typeof least): number =>
    fitted.reduce((sum, column) => sum + widthOf(column), frame(fitted.length)) - terminal;
  while (excess(least) > 0) {
    const out = fitted.findLast(({ index }) => columns[index]!.optional);
    if (out === undefined) return undefined;
    fitted = fitted.filter((column) => column !== out);
  }
  // The column that could give most gives first.
  for (let over = excess(({ width }) => width); over > 0; over -= 1) {
    const spare = fitted.map((column) => column.width - least(column));
    fitted[spare.indexOf(Math.max(...spare))]!.width -= 1;
  }
  return fitted;
}

function painted(cell: Cell, text: string, style: Style): string {
  return cell.style === undefined ? text : cell.style(style)(text);
}

/** What cli-table3 takes for a table grows with the square of its rows: it gets a long one in pieces. */
const rowsPerPiece = 100;

function render(
  rows: readonly string[][],
  widths: readonly number[],
  aligns: ("left" | "right")[],
  { width }: Surface,
  head: string[] = [],
): string {
  const bordered = width !== undefined;
  const lines: string[] = [];
  for (let at = 0; at < rows.length || at === 0; at += rowsPerPiece) {
    const isLast = at + rowsPerPiece >= rows.length;
    const piece = rows.slice(at, at + rowsPerPiece);
    const rendered = renderPiece(piece, widths, aligns, bordered, at === 0 ? head : []);
    // Borders stand above the first piece and below the last.
    const inner = rendered.slice(bordered && at > 0 ? 1 : 0, bordered && !isLast ? -1 : undefined);
    for (const line of inner) lines.push(line.trimEnd());
  }
  return lines.join("\n");
}

function renderPiece(
  rows: readonly string[][],
  widths: readonly number[],
  aligns: ("left" | "right")[],
  bordered: boolean,
  head: string[],
): string[] {
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
  return table.toString().split("\n");
}
