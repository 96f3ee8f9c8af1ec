/** Encodings that a service may use for a character of a key that it echoes. */
export type Encoding = keyof typeof encodings;

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

/** Escapes text for a JSON string, without the quotes. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Each encodes a character inside a JSON string. */
export const encodings = {
  plain: inJson,
  slash: (one: string) => (one === "/" ? String.raw`\/` : inJson(one)),
  lower: (one: string) => `\\u${hex(one.charCodeAt(0), 4)}`,
  upper: (one: string) => `\\u${hex(one.charCodeAt(0), 4).toUpperCase()}`,
  twice: (one: string) => inJson(`\\u${hex(one.charCodeAt(0), 4)}`),
  "twice, slash": (one: string) => inJson(one === "/" ? String.raw`\/` : inJson(one)),
  percent: (one: string) => `%${hex(one.charCodeAt(0), 2)}`,
  "upper percent": (one: string) => `%${hex(one.charCodeAt(0), 2).toUpperCase()}`,
  "percent twice": (one: string) => `%25${hex(one.charCodeAt(0), 2)}`,
  "percent of a URL": (one: string) => inJson(encodeURIComponent(one)),
  "escaped percent": (one: string) => `\\u0025${hex(one.charCodeAt(0), 2)}`,
} as const satisfies Readonly<Record<string, (one: string) => string>>;

export const encodingNames = Object.keys(encodings) as readonly Encoding[];

/** Single decoding steps. */
const decoders: readonly ((text: string) => string)[] = [
  (text) =>
    text.replace(/\\u([0-9a-f]{4})/gi, (_, unit: string) =>
      String.fromCharCode(parseInt(unit, 16)),
    ),
  (text) => text.replace(/\\([/"\\'])/g, "$1"),
  (text) =>
    text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
];

/** Returns whether a text reveals a key after its lines are joined and it is decoded repeatedly. */
export function reveals(text: string, key: string): boolean {
  const joined = text.replaceAll(/[\s─-╿]/g, "");
  const seen = [text, joined];
  for (const start of [text, joined]) {
    let now = start;
    for (let round = 0; round < 4; round += 1) {
      for (const decode of decoders) {
        now = decode(now);
        seen.push(now);
      }
    }
  }
  return seen.some((one) => one.includes(key));
}
