/** In pixels; a character of a monospaced font is 0.602 times as wide as high. */
const fontSize = 14;
const columnWidth = fontSize * 0.602;
const lineHeight = 19;
const margin = 16;
const titleBar = 32;

const colours: Readonly<Record<string, string>> = {
  "31": "#ff7b72",
  "32": "#56d364",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#56d4dd",
  "90": "#8b949e",
};

/** Characters with the same style. */
interface Run {
  readonly text: string;
  readonly style: string;
}

/** Splits a line into runs at its SGR sequences. Every line begins without a style. */
function runsOf(line: string): Run[] {
  const runs: Run[] = [];
  let bold = false;
  let dim = false;
  let colour: string | undefined;
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  for (const part of line.split(/(\u001B\[[\d;]*m)/)) {
    // oxlint-disable-next-line no-control-regex -- as above
    const [, codes] = /^\u001B\[([\d;]*)m$/.exec(part) ?? [];
    if (codes === undefined) {
      if (part === "") continue;
      const fill = colour ?? (dim ? colours["90"] : undefined);
      const style = `${fill === undefined ? "" : ` fill="${fill}"`}${bold ? ' font-weight="bold"' : ""}`;
      runs.push({ text: part, style });
      continue;
    }
    for (const code of codes.split(";")) {
      if (code === "0" || code === "") [bold, dim, colour] = [false, false, undefined];
      else if (code === "1") bold = true;
      else if (code === "2") dim = true;
      else if (code === "22") [bold, dim] = [false, false];
      else if (code === "39") colour = undefined;
      else colour = colours[code] ?? colour;
    }
  }
  return runs;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function drawnLine(line: string, index: number): string {
  let column = 0;
  const spans = runsOf(line).map(({ text, style }) => {
    const x = (margin + column * columnWidth).toFixed(1);
    const length = (text.length * columnWidth).toFixed(1);
    column += text.length;
    return `<tspan x="${x}" textLength="${length}"${style}>${escaped(text)}</tspan>`;
  });
  const y = titleBar + fontSize + index * lineHeight;
  return `<text y="${y}" xml:space="preserve">${spans.join("")}</text>`;
}

/** Draws the text of a terminal of 80 columns, with its colours, as an SVG. */
export function drawn(screen: string, title: string): string {
  const lines = screen.trimEnd().split("\n");
  const width = Math.ceil(2 * margin + 80 * columnWidth);
  const height = titleBar + lines.length * lineHeight + margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
    '<circle cx="18" cy="16" r="5" fill="#ff5f56"/><circle cx="36" cy="16" r="5" fill="#ffbd2e"/><circle cx="54" cy="16" r="5" fill="#27c93f"/>',
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${fontSize}" fill="#e6edf3">`,
    ...lines.map(drawnLine),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}
