/** Colours by meaning. Without colours, each function returns its text unchanged. */
export interface Style {
  readonly heading: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly waiting: (text: string) => string;
  readonly bad: (text: string) => string;
}

const same = (text: string): string => text;

const plainStyle: Style = { heading: same, faint: same, good: same, waiting: same, bad: same };

/** Returns the colours. Loads chalk only if they are used. */
export async function loadStyle(colour: boolean): Promise<Style> {
  if (!colour) return plainStyle;
  const { Chalk } = await import("chalk");
  const { bold, dim, green, yellow, red } = new Chalk({ level: 1 });
  return { heading: bold, faint: dim, good: green, waiting: yellow, bad: red };
}
