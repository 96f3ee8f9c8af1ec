import type { ShownRecord } from "../../../contract/service.ts";
import { cutToWidth, displayWidth, prepareToMeasure } from "../../../output/table/display-width.ts";
import { localTime, fieldCell, type RecordView } from "../../../output/views.ts";

const gap = "  ";

/** Minimum width of a cut text. It is omitted if there is less room. */
const minTextWidth = 12;

/**
 * Returns records as aligned lines, with as many fields as fit. A text that is too long is cut between words.
 *
 * @param columns the available width
 */
export async function recordLines(
  records: readonly ShownRecord[],
  view: RecordView,
  columns: number,
): Promise<readonly string[]> {
  const fields = fieldsOf(view);
  const rows = records.map((record) => fields.map((field) => textOf(view, field, record[field])));
  await prepareToMeasure(rows.flat());
  const widths = fieldWidths(rows, columns);
  return rows.map((row) =>
    widths
      .map((width, index) => {
        const text = cutAtWord(row[index]!, width);
        return text + " ".repeat(Math.max(0, width - displayWidth(text)));
      })
      .join(gap)
      .trimEnd(),
  );
}

/** Returns the fields of a line: key and name, then short fields, then texts. */
function fieldsOf(view: RecordView): readonly string[] {
  const naming = [view.key, "name"].filter((field) => view.columns.includes(field));
  const first = [...new Set(naming)];
  const others = view.columns.filter((field) => {
    // A narrow table omits these fields too. The name of a sender ID is enough to identify it.
    const isLeftOut = field === "id" || view.fields[field]?.column?.optional === true;
    return !isLeftOut && !first.includes(field);
  });
  const isText = (field: string): boolean => view.fields[field]?.column?.least !== undefined;
  return [...first, ...others.filter((field) => !isText(field)), ...others.filter(isText)];
}

/** Returns the text of a field. Lines have no header, so counts and flags include their name. */
function textOf(view: RecordView, field: string, value: unknown): string {
  const [label, { text }] = fieldCell(view, field, value, localTime);
  const noun = `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
  if (typeof value === "boolean") return value ? noun : "";
  if (field === view.key || !["number", "bigint"].includes(typeof value)) {
    return value === null || value === undefined ? "" : text;
  }
  return `${text} ${text === "1" ? noun.replace(/s$/, "") : noun}`;
}

/** Returns the widths of the fields that fit, starting with the first. */
function fieldWidths(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  const widths: number[] = [];
  let left = columns;
  for (const index of rows[0]?.keys() ?? []) {
    const wanted = Math.max(...rows.map((row) => displayWidth(row[index]!)));
    const before = index === 0 ? 0 : gap.length;
    if (index > 0 && left - before < Math.min(wanted, minTextWidth)) break;
    const width = Math.max(1, Math.min(wanted, left - before));
    widths.push(width);
    left -= before + width;
  }
  return widths;
}

/** Cuts a text to a width, between words if possible. */
function cutAtWord(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const cut = cutToWidth(text, width);
  const space = cut.lastIndexOf(" ");
  return space > 0 ? `${cut.slice(0, space)} …` : cut;
}
