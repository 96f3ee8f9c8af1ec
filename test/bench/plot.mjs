/** The measurements that are drawn; with more lines they could not be distinguished. */
const drawn = [
  { what: "local seed: groups, 5 contacts each", label: "seed", colour: "#7a4fb5" },
  { what: "export", label: "export", colour: "#c2571a" },
  { what: "group list --all -o jsonl", label: "list --all", colour: "#1f6fb2" },
  {
    what: "local contact import, one contact per group of the database",
    label: "import",
    colour: "#2b8a3e",
  },
  { what: "local backup", label: "backup", colour: "#8a6d1a" },
  { what: "group create", label: "create", colour: "#b8325a" },
  { what: "group list, page 1", label: "list, page 1", colour: "#24807d" },
  { what: "node -e 0", label: "node -e 0", colour: "#777777" },
];

const panel = { width: 330, height: 300, top: 50 };

/**
 * Draws time and peak memory against the number of groups, both logarithmic, as an SVG.
 *
 * @param {number[]} sizes
 * @param {Map<string, { milliseconds?: number, mebibytes?: number }[]>} results
 */
export function plot(sizes, results) {
  const lines = drawn.filter(({ what }) => results.has(what));
  const of = (field) =>
    lines.map((line) => ({ ...line, values: results.get(line.what).map((one) => one[field]) }));
  const time = panelOf(60, "time", sizes, of("milliseconds"), [
    [10, "10 ms"],
    [100, "100 ms"],
    [1000, "1 s"],
    [10_000, "10 s"],
    [100_000, "100 s"],
  ]);
  const memory = panelOf(560, "peak memory", sizes, of("mebibytes"), [
    [32, "32 MiB"],
    [64, "64 MiB"],
    [128, "128 MiB"],
    [256, "256 MiB"],
    [512, "512 MiB"],
    [1024, "1 GiB"],
  ]);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 400" font-family="sans-serif" font-size="12" role="img">',
    "<title>Time and peak memory against the number of groups, both logarithmic</title>",
    '<rect width="1000" height="400" fill="#ffffff"/>',
    ...time,
    ...memory,
    "</svg>",
    "",
  ].join("\n");
}

/** @param {[number, string][]} ticks ascending; the first and the last are the ends of the axis */
function panelOf(left, title, sizes, lines, ticks) {
  const across = (size) => round(left + panel.width * share(size, sizes[0], sizes.at(-1)));
  const down = (value) =>
    round(panel.top + panel.height * (1 - share(value, ticks[0][0], ticks.at(-1)[0])));
  const right = left + panel.width;
  const foot = panel.top + panel.height;
  const labels = spread(
    lines
      .filter(({ values }) => values.at(-1) !== undefined)
      .map(({ label, colour, values }) => ({ label, colour, y: down(values.at(-1)) })),
  );
  return [
    `<text x="${left}" y="30" font-size="14" font-weight="bold" fill="#222222">${title}, by groups</text>`,
    ...ticks.flatMap(([value, text]) => [
      `<line x1="${left}" x2="${right}" y1="${down(value)}" y2="${down(value)}" stroke="#dddddd"/>`,
      `<text x="${left - 6}" y="${down(value) + 4}" text-anchor="end" fill="#444444">${text}</text>`,
    ]),
    ...sizes.flatMap((size) => [
      `<line x1="${across(size)}" x2="${across(size)}" y1="${panel.top}" y2="${foot}" stroke="#eeeeee"/>`,
      `<text x="${across(size)}" y="${foot + 18}" text-anchor="middle" fill="#444444">${size.toLocaleString("en")}</text>`,
    ]),
    ...lines.flatMap(({ colour, values }) => {
      const points = values.flatMap((value, at) =>
        value === undefined ? [] : [`${across(sizes[at])},${down(value)}`],
      );
      return [
        `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(" ")}"/>`,
      ];
    }),
    ...labels.map(
      ({ label, colour, y }) =>
        `<text x="${right + 6}" y="${round(y + 4)}" fill="${colour}">${label}</text>`,
    ),
  ];
}

/** Moves labels apart that would overlap. */
function spread(labels) {
  const sorted = labels.toSorted((one, other) => one.y - other.y);
  for (const [at, label] of sorted.entries()) {
    const above = sorted[at - 1];
    if (above !== undefined && label.y < above.y + 14) label.y = above.y + 14;
  }
  return sorted;
}

/** Returns the position of a value between two ends on a logarithmic scale, from 0 to 1. */
function share(value, from, to) {
  return Math.log(value / from) / Math.log(to / from);
}

function round(value) {
  return Math.round(value * 10) / 10;
}
