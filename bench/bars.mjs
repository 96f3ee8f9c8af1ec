const bar = { left: 330, width: 560, height: 18, step: 26 };

/**
 * Draws the ratios of sendctl and other programs as horizontal bars in two panels: starts against `node -e 0`, and
 * servers against a raw node:http. Returns an SVG.
 *
 * @param {import("./row.mjs").Row[]} rows of one run
 */
export function bars(rows) {
  const starts = rows.filter(({ unit, against }) => unit === "ms" && against === "node -e 0");
  const servers = rows.filter(
    ({ what, against }) => against === "raw node:http" && !what.includes("connections"),
  );
  const panels = [
    { title: "Whole process, as a multiple of node -e 0 (less is better)", rows: starts },
    { title: "Responses per second, as a share of raw node:http (more is better)", rows: servers },
  ];
  let top = 0;
  const parts = panels
    .filter((panel) => panel.rows.length > 0)
    .map((panel) => {
      const lines = panelOf(panel, top);
      top += 60 + panel.rows.length * bar.step;
      return lines;
    });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 ${top}" font-family="sans-serif" font-size="12" role="img">`,
    "<title>sendctl and other programs, against Node</title>",
    `<rect width="1000" height="${top}" fill="#ffffff"/>`,
    ...parts.flat(),
    "</svg>",
    "",
  ].join("\n");
}

function panelOf({ title, rows }, top) {
  const shown = rows
    .map(({ what, ours, base }) => ({ what, ratio: ours / base }))
    .toSorted((one, other) => one.ratio - other.ratio);
  const longest = Math.max(...shown.map(({ ratio }) => ratio));
  return [
    `<text x="20" y="${top + 30}" font-size="14" font-weight="bold" fill="#222222">${title}</text>`,
    ...shown.flatMap(({ what, ratio }, index) => {
      const y = top + 46 + index * bar.step;
      const width = Math.round((bar.width * ratio) / longest);
      const isPeer = what.startsWith("peer: ");
      const name = what.replace("peer: ", "");
      return [
        `<text x="${bar.left - 8}" y="${y + 13}" text-anchor="end" fill="#444444">${isPeer ? "" : "sendctl "}${name}</text>`,
        `<rect x="${bar.left}" y="${y}" width="${width}" height="${bar.height}" fill="${isPeer ? "#b5b5b5" : "#1f6fb2"}"/>`,
        `<text x="${bar.left + width + 6}" y="${y + 13}" fill="#222222">${ratio.toFixed(2)}</text>`,
      ];
    }),
  ];
}
