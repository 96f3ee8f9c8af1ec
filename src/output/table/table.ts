import {
  cutToWidth,
  displayWidth,
  isMeasurable,
  padded,
  prepareToMeasure,
  widest,
  wrapWords,
  type Alignment,
} from "./display-width.ts";
import type { Style } from "../terminal.ts";

/** A cell: one line of safe text, and its colour. */
export interface Cell {
  readonly text: string;
  readonly style?: (style: Style) => (text: string) => string;
  /** Whether it must not be wrapped, because it is copied. */
  readonly isWhole?: true;
}

export interface Column {
  readonly label: string;
  /** Minimum width on a narrow terminal. */
  readonly least?: number | undefined;
  /** Whether the column may be omitted on an even narrower terminal. */
  readonly optional?: true | undefined;
  /** Whether the next command takes it: it is truncated last. */
  readonly vital?: true | undefined;
  readonly align?: "right" | undefined;
}

export interface Surface {
  /** Columns of the terminal; undefined for a pipe or file, where tables are complete. */
  readonly width: number | undefined;
  readonly style: Style;
}

/** In columns. Longer cells of a pipe or file are not aligned, because padding would multiply. */
const maxAlignedWidth = 1000;

/** Returns the width of the borders and padding of a table. */
function frame(columns: number): number {
  return 3 * columns + 1;
}

/** Number of rows of a piece. Longer ones take more memory, and are hardly faster. */
const rowsPerPiece = 100;

/**
 * Yields a list as a table, in pieces that end with a line. To fit a narrow terminal, texts are
 * truncated, then optional columns are omitted, then vital columns are truncated. If it is still
 * too wide, the records are printed one below the other.
 *
 * @param rows are read twice: once for the widths of the columns
 * @param hasHeader whether the labels of the columns are printed
 * @param hide is called with the labels of omitted columns, if there are any
 */
export async function* tablePieces(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  surface: Surface,
  hasHeader = true,
  hide: (labels: readonly string[]) => void = () => {},
): AsyncGenerator<string> {
  const { width: terminal, style } = surface;
  const natural = await naturalWidths(columns, rows, terminal ?? maxAlignedWidth, hasHeader);
  const fitted = fit(columns, natural, terminal);
  if (fitted === undefined) {
    for (const row of rows) {
      const fields = columns.map(({ label }, index) => [label, row[index]!] as const);
      yield `${await recordTable(fields, surface)}\n`;
    }
    return;
  }
  const omitted = columns.filter((_, column) => !fitted.some(({ index }) => index === column));
  if (omitted.length > 0) hide(omitted.map(({ label }) => label));
  const cellText = (cell: Cell, width: number): string =>
    painted(cell, terminal === undefined ? cell.text : cutToWidth(cell.text, width), style);
  let head = hasHeader ? fitted.map(({ index }) => style.heading(columns[index]!.label)) : [];
  const widths = fitted.map(({ width }) => width);
  const aligns = fitted.map(({ index }) => columns[index]!.align ?? "left");
  const bordered = terminal === undefined ? undefined : (await import("./bordered.ts")).bordered;
  let isFirst = true;
  const draw = (piece: readonly string[][], isLast: boolean): string => {
    const lines =
      bordered === undefined
        ? aligned(head.length === 0 ? piece : [head, ...piece], widths, aligns)
        : // Only the first piece has a top border, and only the last a bottom border.
          bordered(piece, widths, aligns, head).slice(isFirst ? 0 : 1, isLast ? undefined : -1);
    head = [];
    isFirst = false;
    return lines.map((line) => `${line}\n`).join("");
  };
  let piece: string[][] = [];
  for (const row of rows) {
    if (piece.length === rowsPerPiece) {
      yield draw(piece, false);
      piece = [];
    }
    piece.push(fitted.map(({ index, width }) => cellText(row[index]!, width)));
  }
  yield draw(piece, true);
}

/** Returns the widths of columns with complete texts, up to the width of the terminal. */
async function naturalWidths(
  columns: readonly Column[],
  rows: Iterable<readonly Cell[]>,
  maxWidth: number,
  hasHeader: boolean,
): Promise<readonly number[]> {
  const natural = columns.map(({ label }) => (hasHeader ? displayWidth(label) : 0));
  for (const row of rows) {
    for (const [index, { text }] of row.entries()) {
      if (!isMeasurable(text)) await prepareToMeasure([text]);
      natural[index] = Math.max(natural[index]!, displayWidth(text));
    }
  }
  return natural.map((width) => Math.min(width, maxWidth));
}

/** In columns. */
const minValueWidth = 8;

/** In UTF-16 units: a thousand lines and more. What a terminal shows beyond it, nobody reads. */
const maxValueLength = 100_000;

/**
 * Returns a record as a table of names and values. On a terminal, long values are wrapped, and cut
 * far beyond a screen. One that must not be wrapped is below the table if it does not fit.
 */
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
    return aligned(rows, [Math.min(longest, maxAlignedWidth), 0]).join("\n");
  }
  const labelWidth = Math.min(longest, Math.max(minValueWidth, Math.floor(width / 2)));
  const room = width - frame(2) - labelWidth;
  const below = fields.filter(([, cell]) => cell.isWhole && displayWidth(cell.text) > room);
  if (below.length > 0) {
    const table = await recordTable(
      fields.filter((field) => !below.includes(field)),
      surface,
    );
    const lines = below.map(([label, cell]) => `${label}:\n${painted(cell, cell.text, style)}`);
    return [table, ...lines].join("\n");
  }
  const values = fields.map(([, { text }]) =>
    text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text,
  );
  if (room < minValueWidth) {
    const lines = fields.map(([label], index) => `${label}: ${values[index]!}`);
    const wrapped = lines.flatMap((line) => wrapWords(line, Math.max(width, minValueWidth)));
    return ["-".repeat(Math.min(width, minValueWidth)), ...wrapped].join("\n");
  }
  const natural = widest(values);
  const valueWidth = Math.max(minValueWidth, Math.min(natural, room));
  const rows = fields.map(([label, cell], index) => [
    style.heading(cutToWidth(label, labelWidth)),
    wrapWords(values[index]!, valueWidth)
      .map((line) => painted(cell, line, style))
      .join("\n"),
  ]);
  const { bordered } = await import("./bordered.ts");
  return bordered(rows, [labelWidth, valueWidth], ["left", "left"]).join("\n");
}

/** Returns the columns to show and their widths; undefined if the terminal is too narrow. */
function fit(
  columns: readonly Column[],
  natural: readonly number[],
  terminal: number | undefined,
): { readonly index: number; readonly width: number }[] | undefined {
  let fitted = natural.map((width, index) => ({ index, width }));
  if (terminal === undefined) return fitted;
  const least = ({ index, width }: { index: number; width: number }): number =>
    Math.min(width, columns[index]!.least ?? width);
  const isVital = ({ index }: { index: number }): boolean => columns[index]!.vital === true;
  const excess = (widthOf: typeof least): number =>
    fitted.reduce((sum, column) => sum + widthOf(column), frame(fitted.length)) - terminal;
  while (excess((column) => (isVital(column) ? column.width : least(column))) > 0) {
    const out = fitted.findLast(({ index }) => columns[index]!.optional);
    if (out === undefined) break;
    fitted = fitted.filter((column) => column !== out);
  }
  if (excess(least) > 0) return undefined;
  // Shrinks the column with the most spare width first, and vital ones last.
  for (let over = excess(({ width }) => width); over > 0; over -= 1) {
    const spares = fitted.map((column) => column.width - least(column));
    const others = spares.map((spare, at) => (isVital(fitted[at]!) ? 0 : spare));
    const spare = others.some((width) => width > 0) ? others : spares;
    fitted[spare.indexOf(Math.max(...spare))]!.width -= 1;
  }
  return fitted;
}

/** Returns a text in the colour of its cell. */
function painted(cell: Cell, text: string, style: Style): string {
  return cell.style === undefined ? text : cell.style(style)(text);
}

/** Returns the lines of rows in aligned columns, without borders. */
function aligned(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  aligns: readonly Alignment[] = [],
): string[] {
  return rows.map((row) => {
    const cells = row.map((text, index) => padded(text, widths[index]!, aligns[index]));
    return cells.join("  ").trimEnd();
  });
}
