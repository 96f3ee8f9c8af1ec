import {
  cutToWidth,
  displayWidth,
  padded,
  prepareToMeasure,
  wrapToWidth,
  type Alignment,
} from "./display-width.ts";
import type { Style } from "../style.ts";

/** A cell: one line of safe text, and its colour. */
export interface Cell {
  readonly text: string;
  readonly style?: (style: Style) => (text: string) => string;
}

export interface Column {
  readonly label: string;
  /** Minimum width on a narrow terminal. */
  readonly least?: number;
  /** Whether the column may be omitted on an even narrower terminal. */
  readonly optional?: true;
  readonly align?: "right";
}

export interface Surface {
  /** Columns of the terminal; undefined for a pipe or file, where tables are plain, aligned and complete. */
  readonly width: number | undefined;
  readonly style: Style;
}

/** In columns. Longer cells of a pipe or file are not aligned: padding every row would multiply their length. */
export const maxAlignedWidth = 1000;

/** Returns the width of the borders and padding of a table. */
function frame(columns: number): number {
  return 3 * columns + 1;
}

/**
 * Returns a list as a table. To fit a narrow terminal, texts are truncated, then optional columns are omitted. If it is
 * still too wide, the records are printed one below the other.
 *
 * @param hasHeader whether the labels of the columns are printed
 */
export async function listTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  surface: Surface,
  hasHeader = true,
): Promise<string> {
  await prepareToMeasure(rows.flat().map(({ text }) => text));
  const maxWidth = surface.width ?? maxAlignedWidth;
  const natural = columns.map(({ label }, index) =>
    Math.min(widest([hasHeader ? label : "", ...rows.map((row) => row[index]!.text)]), maxWidth),
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
  const isCut = surface.width !== undefined;
  const body = rows.map((row) =>
    fitted.map(({ index, width }) => {
      const cell = row[index]!;
      const text = isCut ? cutToWidth(cell.text, width) : cell.text;
      return painted(cell, text, surface.style);
    }),
  );
  const widths = fitted.map(({ width }) => width);
  const aligns = fitted.map(({ index }) => columns[index]!.align ?? "left");
  if (!isCut) return aligned(hasHeader ? [head, ...body] : body, widths, aligns);
  const { bordered } = await import("./bordered.ts");
  return bordered(body, widths, aligns, head);
}

/** In columns. */
const minValueWidth = 8;

/** Returns a record as a table of names and values. Long values are wrapped. */
export async function recordTable(
  fields: readonly (readonly [label: string, cell: Cell])[],
  surface: Surface,
): Promise<string> {
  await prepareToMeasure(fields.flatMap(([label, { text }]) => [label, text]));
  const { width, style } = surface;
  const longest = widest(fields.map(([label]) => label));
  if (width === undefined) {
    const rows = fields.map(([label, cell]) => [
      style.heading(label),
      painted(cell, cell.text, style),
    ]);
    return aligned(rows, [Math.min(longest, maxAlignedWidth), 0], ["left", "left"]);
  }
  const labelWidth = Math.min(longest, Math.max(minValueWidth, Math.floor(width / 2)));
  const natural = widest(fields.map(([, { text }]) => text));
  const valueWidth = Math.max(minValueWidth, Math.min(natural, width - frame(2) - labelWidth));
  const rows = fields.map(([label, cell]) => [
    style.heading(cutToWidth(label, labelWidth)),
    wrapToWidth(cell.text, valueWidth)
      .map((line) => painted(cell, line, style))
      .join("\n"),
  ]);
  const { bordered } = await import("./bordered.ts");
  return bordered(rows, [labelWidth, valueWidth], ["left", "left"]);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0);
}

/** Returns the columns to show and their widths; undefined if the terminal is too narrow for a table. */
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
  // Shrinks the column with the most spare width first.
  for (let over = excess(({ width }) => width); over > 0; over -= 1) {
    const spare = fitted.map((column) => column.width - least(column));
    fitted[spare.indexOf(Math.max(...spare))]!.width -= 1;
  }
  return fitted;
}

/** Returns a text in the colour of its cell. */
export function painted(cell: Cell, text: string, style: Style): string {
  return cell.style === undefined ? text : cell.style(style)(text);
}

/** Returns rows in aligned columns, without borders. */
function aligned(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  aligns: readonly Alignment[],
): string {
  return rows
    .map((row) => plainRow(row.map((text, index) => padded(text, widths[index]!, aligns[index]!))))
    .join("\n");
}

/** Returns a row without borders. @param cells padded to the widths of their columns */
export function plainRow(cells: readonly string[]): string {
  return cells.join("  ").trimEnd();
}
