/**
 * Phrases that this project does not use, and what to write instead. They read like a translation, or hide
 * who does what. The linter looks for them in comments and strings, a test in Markdown.
 */
const bannedPhrases = [
  { pattern: /\btold\b/i, instead: "reported, shown or printed" },
  { pattern: /\banew\b/i, instead: "again" },
  { pattern: /\bwhoever\b/i, instead: "the noun: the caller, the client, the reader" },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: "fix or repair" },
  {
    pattern:
      /(?<!\bthere )\bis no (?!longer\b|more\b|less\b|later\b|earlier\b|larger\b|smaller\b|different\b)[a-z]/i,
    instead: "is not a",
  },
  { pattern: /\bwhere nothing is said\b/i, instead: "(default: …)" },
  { pattern: /\bso many\b/i, instead: "a number, a count, or the limit" },
  { pattern: /\bas one likes\b/i, instead: "any" },
  { pattern: /\bat fault\b/i, instead: "invalid" },
  { pattern: /\ba line a\b/i, instead: "one per line" },
  { pattern: /\bwhat is there\b/i, instead: "existing, or current" },
  { pattern: /\bgone by now\b/i, instead: "no longer exists" },
];

/**
 * Returns the banned phrases of a text, each with its offset. A phrase may be broken over lines of a comment.
 *
 * @param {string} text
 * @returns {{ phrase: string, instead: string, offset: number }[]}
 */
export function phrasesIn(text) {
  const joined = text.replaceAll(/\n[ \t]*(?:\*|\/\/)?[ \t]*/g, (gap) => " ".repeat(gap.length));
  return bannedPhrases.flatMap(({ pattern, instead }) => {
    const spaced = new RegExp(pattern.source.replaceAll(" ", " +"), "gi");
    return [...joined.matchAll(spaced)].map(({ 0: found, index }) => ({
      phrase: found.replaceAll(/ +/g, " "),
      instead,
      offset: index,
    }));
  });
}
