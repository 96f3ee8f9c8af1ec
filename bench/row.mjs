/**
 * One row of the report.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {number} ours
 * @property {number} [base] the baseline, measured alternately in the same run
 * @property {string} [against] name of the baseline
 * @property {"ms" | "µs" | "/s" | "s" | "MiB" | "errors"} unit
 * @property {{ max?: number, min?: number }} [target] of the ratio, or of `ours` without a baseline
 * @property {number} [fastest] ratio of the fastest runs
 * @property {string} [note] conditions that matter for the result
 */

/** @param {Row} row @returns {number | undefined} */
export function ratioOf({ ours, base }) {
  return base === undefined ? undefined : ours / base;
}

/** @param {Row} row @returns {"met" | "MISSED" | "—"} */
export function verdictOf(row) {
  if (row.target === undefined) return "—";
  const { max = Infinity, min = -Infinity } = row.target;
  const value = ratioOf(row) ?? row.ours;
  return value <= max && value >= min ? "met" : "MISSED";
}

/** @param {number} value @param {Row["unit"]} unit */
function measured(value, unit) {
  const digits = value >= 1000 || unit === "errors" ? 0 : value >= 100 ? 1 : 2;
  const number = value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return unit === "/s" ? `${number}/s` : unit === "errors" ? number : `${number} ${unit}`;
}

/** @param {Row} row */
function targetText({ target, base, unit }) {
  if (target === undefined) return "—";
  const [sign, value] = target.max === undefined ? ["≥", target.min] : ["≤", target.max];
  return base === undefined ? `${sign} ${measured(value, unit)}` : `${sign} ${value} ×`;
}

/** Returns the cells of a row. @param {Row} row @returns {string[]} */
export function cellsOf(row) {
  const { what, ours, base, against, unit } = row;
  return [
    what,
    measured(ours, unit),
    base === undefined ? "—" : measured(base, unit),
    base === undefined ? "—" : against,
    base === undefined ? "—" : `${ratioOf(row).toFixed(2)} ×`,
    targetText(row),
    verdictOf(row),
  ];
}

export const columns = [
  "measurement",
  "sendctl",
  "baseline",
  "baseline is",
  "ratio",
  "target",
  "verdict",
];
const widths = [52, 12, 12, 24, 9, 13, 7];

/** @param {string[]} cells */
export function lineOf(cells) {
  return cells
    .map((cell, at) =>
      [0, 3, 6].includes(at) ? cell.padEnd(widths[at]) : cell.padStart(widths[at]),
    )
    .join("  ")
    .trimEnd();
}
