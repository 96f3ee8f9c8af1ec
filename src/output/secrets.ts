/** Text that must never be shown, and what is shown in its place. */
export interface Secrets {
  readonly add: (secret: string | undefined) => void;
  readonly hide: (text: string) => string;
}

/** In characters. Hiding what is shorter would only spoil other text. */
const shortest = 8;

export function createSecrets(): Secrets {
  const forms = new Map<string, RegExp>();
  return {
    add: (secret) => {
      if (secret === undefined || secret.length < shortest) return;
      forms.set(secret, anyFormOf(secret));
    },
    hide: (text) => {
      let shown = text;
      for (const form of forms.values()) shown = shown.replaceAll(form, "[hidden]");
      return shown;
    },
  };
}

/** Matches a secret as it stands in JSON and in a URL, whichever of its characters are escaped there. */
function anyFormOf(secret: string): RegExp {
  return new RegExp(Array.from(secret, (character) => formsOf(character)).join(""), "g");
}

/** Every form begins with its own character, a backslash or a percent sign: matching takes linear time. */
function formsOf(character: string): string {
  const literal = [character, JSON.stringify(character).slice(1, -1), `\\${character}`];
  const units = Array.from({ length: character.length }, (_, index) => {
    const hex = character.charCodeAt(index).toString(16).padStart(4, "0");
    return String.raw`\\u${inAnyCase(hex)}`;
  });
  const bytes = [...Buffer.from(character)].map(
    (byte) => `%${inAnyCase(byte.toString(16).padStart(2, "0"))}`,
  );
  return `(?:${[...new Set(literal.map((form) => quoted(form))), units.join(""), bytes.join("")].join("|")})`;
}

function inAnyCase(hex: string): string {
  return hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function quoted(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
